import { isEnvelope } from '../../shared/guard.ts';
import { isYoungerLineage } from '../../shared/outcome.ts';
import type { Answered, Outcome, Revision } from '../../shared/outcome.ts';
import type { WhileHidden } from '../../shared/pace.ts';
import type { Command, LoopDeclaration } from '../../shared/protocol.ts';
import { houseOf } from '../../worker/house.fixture.ts';
import type { WorkerEngine } from '../../worker/compose.ts';
import { FakeSystem, unreachable } from '../../worker/platform/system.fixture.ts';
import type { Seen } from '../../worker/platform/system.fixture.ts';
import type { System } from '../../worker/platform/system.ts';
import { settle } from '../../worker/platform/virtual-clock.fixture.ts';
import type { Host } from '../hosts/host.ts';
import { hostOf } from './host.fixture.ts';
import { declaration, invocation, submission } from './invocation.fixture.ts';
import type { LoopListener } from './loop.ts';
import { sessionOf } from './session.fixture.ts';
import type { Session } from './session.ts';

/** Milliseconds between two requests of a poll. */
export const PERIOD = 5_000;

/** Milliseconds that the server holds a request while there is no news. */
const HOLD = 20_000;

/** The form in which the server sends its state. */
export interface Representation {
  readonly text: string;
  readonly type: string;
  readonly isStorable: boolean;
}

/** The fate of requests. */
export type Fault = 'none' | 'network' | 'refused' | 'portal' | 'truncated' | 'late';

/** A server with one state, which numbers every form in which it has sent it. */
export class StateServer {
  readonly said: Representation[] = [];
  fault: Fault = 'none';
  /** True where it confirms by a 304 what a request names by its number. */
  confirms = false;
  readonly #clock: FakeSystem['clock'];
  #tell: () => void = () => {};
  #news: Promise<void> = Promise.resolve();

  constructor(system: FakeSystem) {
    this.#clock = system.clock;
    system.serve = (seen) => this.#serve(seen);
  }

  get newest(): number {
    return this.said.length - 1;
  }

  say(representation: Representation): void {
    this.said.push(representation);
    this.#tell();
    this.#news = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }

  /** The state that an answer with that number means; an answer without a number is a captive portal's. */
  meaningOf(number: string | null): unknown {
    if (number === null) return PORTAL;
    const said = this.said[Number(number)];
    if (!said) throw new Error(`Nothing was ever said as ${number}`);
    return said.type === JSON_TYPE ? JSON.parse(said.text) : said.text;
  }

  async #serve({ url, headers }: Seen): Promise<Response> {
    const isAsked = (number: number): boolean => new URL(url).searchParams.get('since') === String(number);
    if (this.fault === 'none' && isAsked(this.newest)) {
      await Promise.race([this.#news, this.#clock.sleep(HOLD)]);
      if (isAsked(this.newest)) return new Response(null, { status: 204 });
    }
    const number = this.newest;
    const answer = this.#answer(number, headers.get('if-none-match') === tagOf(number));
    if (this.fault === 'late') await this.#clock.sleep(1_500);
    return answer;
  }

  #answer(number: number, isKnown: boolean): Response {
    const { text = '', type = '', isStorable = false } = this.said[number] ?? {};
    if (this.fault === 'network') unreachable();
    if (this.fault === 'refused') return new Response('[]', { status: 503 });
    if (this.fault === 'portal') return new Response(PORTAL, { headers: { 'Content-Type': 'text/html' } });
    if (this.fault === 'truncated')
      return new Response(text.slice(0, -1), { headers: { 'Content-Type': JSON_TYPE, 'X-Number': 'none' } });
    const headers = {
      'Content-Type': type,
      'X-Number': String(number),
      ...(this.confirms && { ETag: tagOf(number) }),
      ...(!isStorable && { 'Cache-Control': 'no-store' }),
    };
    const isConfirmed = this.confirms && isKnown;
    return new Response(isConfirmed ? null : text, { status: isConfirmed ? 304 : 200, headers });
  }
}

export const JSON_TYPE = 'application/json';
const PORTAL = '<p>Pay first</p>';

function tagOf(number: number): string {
  return `"${number}"`;
}

/** One run of an engine; nothing of it goes on after its end. */
export class EngineLife {
  readonly house: WorkerEngine;
  readonly over: Promise<void>;
  end: () => void = () => {};
  #isOver = false;

  /** Runs over the same database share it. `isFull`: nothing can be stored. `chunk`: bytes of a list in one message. */
  constructor(system: FakeSystem, isFull: () => boolean, chunk: number) {
    this.over = new Promise((resolve) => {
      this.end = () => {
        this.#isOver = true;
        resolve();
      };
    });
    this.house = houseOf(this.#mortal(system, isFull), { chunk });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  #mortal(system: FakeSystem, isFull: () => boolean): System {
    const { clock, isOnline, random, uuid, indexedDB, locks } = system;
    const digest: System['digest'] = (bytes) =>
      isFull() ? Promise.reject(new Error('no room')) : system.digest(bytes);
    return {
      isOnline,
      random,
      uuid,
      indexedDB,
      spare: null,
      crypto: null,
      channel: null,
      locks,
      clock: {
        now: () => clock.now(),
        sleep: (milliseconds, signal) => this.#alive(clock.sleep(milliseconds, signal)),
      },
      fetch: (url, init) => this.#alive(system.fetch(url, init)),
      digest: (bytes) => this.#alive(digest(bytes)),
      pause: () => this.#alive(system.pause()),
    };
  }

  async #alive<T>(work: Promise<T>): Promise<T> {
    const [result] = await Promise.allSettled([work]);
    if (this.#isOver) await new Promise(() => {});
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }
}

/** How a page follows the server's state. */
export interface Following {
  readonly isHeld: boolean;
  /** Its polls' behaviour while it is hidden. */
  readonly hidden: WhileHidden;
  /** Bytes of a list that it gets in one message. */
  readonly chunk: number;
}

/** A page with its own session, and everything that it hears of its loop. */
export class FollowingPage implements LoopListener {
  /** Wrong things that it heard. */
  readonly faults: string[] = [];
  /** How often it got patches. */
  patches = 0;
  /** How often it got only a notice that something has changed. */
  notices = 0;
  /** How often a list came whole in chunks, and how often one began. */
  lists = 0;
  begun = 0;
  isFrozen = false;
  /** True while it waits for the answer to a greeting. */
  isGreeting = false;
  readonly #session: Session;
  readonly #server: StateServer;
  readonly #listeners = new Set<(data: unknown) => void>();
  /** The messages that a frozen page takes later. */
  readonly #kept: (() => void)[] = [];
  /** True in the back/forward cache, where no message reaches it. */
  #isAway = false;
  #following: LoopDeclaration | null = null;
  #heard: Answered | null = null;
  #calls = 0;

  constructor(name: string, system: FakeSystem, server: StateServer, life: () => EngineLife) {
    this.#server = server;
    this.#session = sessionOf(this.#host(name, life), name, system, () => life().over);
  }

  get isFollowing(): boolean {
    return this.#following !== null;
  }

  /** The number of the last answer that it heard. */
  get heard(): string | null {
    return this.#heard && numberOf(this.#heard);
  }

  follow({ isHeld, hidden }: Following): void {
    if (this.#following) return;
    this.#following = isHeld ? HELD : { ...POLL, pace: { kind: 'poll', interval: PERIOD, hidden } };
    this.#session.declare(this.#following, this);
  }

  restart(): void {
    if (this.#following) this.#session.declare({ ...this.#following, restart: true }, this);
  }

  leave(): void {
    if (this.#following) this.#session.stop(this.#following.loop);
    this.#following = null;
    this.#heard = null;
  }

  call(): void {
    const listener = {
      sent: () => {},
      progress: () => {},
      preliminary: () => {},
      settled: (outcome: Outcome) => this.#check(outcome),
    };
    this.#session.call(submission((this.#calls += 1), ASKED), listener);
  }

  clearCache(): void {
    this.#request({ kind: 'clear-cache' });
  }

  goAway(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#session.presence.leave();
  }

  comeBack(): void {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#session.presence.show();
  }

  setHidden(isHidden: boolean): void {
    this.#session.presence.setHidden(isHidden);
  }

  thaw(): void {
    this.isFrozen = false;
    for (const take of this.#kept.splice(0)) setImmediate(take);
  }

  close(): void {
    this.#following = null;
    this.#session.close();
  }

  /** It wants every body, at the latest when it is shown. */
  unsent(): void {
    this.faults.push('was told an answer without its body');
  }

  tick(outcome: Outcome): void {
    if (outcome.kind === 'failed' || outcome.answer.status === 204) return;
    const { revision, request } = outcome;
    this.#check(outcome);
    const before = this.#heard?.request.url === request.url ? this.#heard.revision : null;
    if (before && revision && isOlder(revision, before))
      this.faults.push(`${JSON.stringify(revision)} came after ${JSON.stringify(before)}`);
    this.#heard = outcome;
  }

  ticking(): void {}
  sent(): void {}
  progress(): void {}
  reset(): void {}

  #check(outcome: Outcome): void {
    if (outcome.kind === 'failed') return;
    const number = numberOf(outcome);
    const { body } = outcome.answer;
    const value = body.kind === 'value' ? body.value : body.kind;
    if (JSON.stringify(value) !== JSON.stringify(this.#server.meaningOf(number)))
      this.faults.push(`${JSON.stringify(value).slice(0, 40)} is not what was said as ${number}`);
  }

  #request(command: Command): void {
    // The worker may die meanwhile.
    this.#session.request(command).catch(() => {});
  }

  #host(name: string, life: () => EngineLife): Host {
    return hostOf(this.#listeners, (message) => {
      const current = life();
      const data: unknown = structuredClone(message);
      if (JSON.stringify(data).includes('"path":["greet"]')) this.isGreeting = true;
      const postMessage = (answer: unknown): void => {
        if (!current.isOver) this.#take(structuredClone(answer));
      };
      if (isEnvelope(data)) setImmediate(() => void current.house.receive({ id: name, postMessage }, data));
    });
  }

  #take(data: unknown): void {
    const text = JSON.stringify(data);
    if (text.includes('"kind":"welcome"')) this.isGreeting = false;
    if (text.includes('"kind":"patches"')) this.patches += 1;
    if (text.includes('"kind":"unsent"')) this.notices += 1;
    if (text.includes('"kind":"chunked"')) this.lists += 1;
    if (text.includes('"kind":"chunk","to":{"loop":1},"index":0')) this.begun += 1;
    const take = (): void => {
      for (const receive of this.#listeners) receive(data);
    };
    if (this.#isAway) return;
    if (this.isFrozen) this.#kept.push(take);
    else setImmediate(take);
  }
}

const ASKED = { policy: { revalidate: true } };

const POLL: LoopDeclaration = declaration({
  invocation: invocation(ASKED),
});

const HELD: LoopDeclaration = declaration({
  pace: { kind: 'long-poll' },
  invocation: invocation(ASKED),
  cursor: {
    kind: 'state',
    from: { kind: 'header', name: 'X-Number' },
    plus: 0,
    to: { kind: 'query', name: 'since' },
    initial: null,
    catchUp: invocation({ ...ASKED, action: 'all', template: '/all' }),
  },
});

function numberOf({ answer }: Answered): string | null {
  return answer.headers.find(([name]) => name.toLowerCase() === 'x-number')?.[1] ?? null;
}

function isOlder(one: Revision, other: Revision): boolean {
  return one.lineage === other.lineage
    ? one.number < other.number
    : !isYoungerLineage(one.lineage, other.lineage);
}

/** Lets messages, databases and sessions do everything that is possible now. */
export async function turns(): Promise<void> {
  for (let nth = 0; nth < 4; nth += 1) await settle();
}
