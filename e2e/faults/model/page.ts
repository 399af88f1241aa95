import { Connection } from '../../../src/main/connection/connection.ts';
import { resolveOptions } from '../../../src/main/connection/options.ts';
import { RestError } from '../../../src/main/error.ts';
import type { Loop } from '../../../src/main/resource/loop.ts';
import { Resource } from '../../../src/main/resource/resource.ts';
import type { ResourceOf } from '../../../src/main/resource/resource.ts';
import type { Inspection } from '../../../src/shared/inspection.ts';
import type { MadeCall } from './call-rules.ts';
import { Hearing } from './hearing.ts';
import { GONE_GRACE, GRACE } from './loop-rules.ts';
import { PageLink } from './page-link.ts';
import type { Journal } from './journal.ts';
import type { Surroundings } from './page-link.ts';
import type { Owner } from './timeline.ts';

const DESCRIPTION = {
  // Inspections show templates: these stand for one path each.
  'state/a': { method: 'GET', url: '/state/a' },
  'state/b': { method: 'GET', url: '/state/b' },
  feed: { method: 'GET', url: '/feed' },
  get: { method: 'GET', url: '/state/{name}' },
  put: { method: 'PUT', url: '/state/{name}' },
  post: { method: 'POST', url: '/state/{name}' },
  patch: { method: 'PATCH', url: '/state/{name}' },
  delete: { method: 'DELETE', url: '/state/{name}' },
} as const;

export type StatePath = 'state/a' | 'state/b';

export type CallAction = 'get' | 'put' | 'post' | 'patch' | 'delete';

/** Milliseconds that stand for the period of a long-poll, and of a poll of a hidden page at least. */
const LONG_POLL = 20_000;
const HIDDEN = 60_000;

/** Milliseconds after a worker's end in which a page may be about to greet the next. */
const GREETING = 4_000;

/** Milliseconds that a page needs, once it is awake, to say what it wants. */
const SAYING = 10;

/** Where a page is: on the screen, in a hidden tab, frozen there, in the back/forward cache, closed. */
export type Whereabouts = 'shown' | 'hidden' | 'frozen' | 'away' | 'gone';

interface Connected {
  readonly connection: Connection;
  readonly resource: ResourceOf<typeof DESCRIPTION>;
}

interface PageSurroundings extends Surroundings {
  readonly journal: Journal;
}

/** A loop that a page wants. */
interface Wanted {
  readonly loop: Loop;
  /** Milliseconds that the rule of back-off goes by. */
  readonly period: number;
}

/** A tab with the library in it, from its opening to its end. */
export class Page implements Owner {
  readonly name: string;
  whereabouts: Whereabouts = 'shown';
  /** The loops that it wants, by path. */
  readonly loops: Map<string, Wanted> = new Map();
  readonly hearing: Hearing;
  readonly #around: PageSurroundings;
  readonly #link: PageLink;
  readonly #window = new EventTarget();
  readonly #document: EventTarget & { hidden: boolean; baseURI: string };
  readonly #calls: { readonly made: MadeCall; readonly id: number }[] = [];
  #connected: Connected | null = null;
  /** How many updates of the worker it is about to apply. */
  #updates = 0;
  #awake = 0;
  /** Null while it is frozen or away. */
  #awakeSince: number | null;
  #sleptAt = 0;
  #lastId = 0;

  constructor(name: string, around: PageSurroundings) {
    this.name = name;
    this.#around = around;
    this.#awakeSince = around.timeline.now;
    this.#document = Object.assign(new EventTarget(), { hidden: false, baseURI: 'https://page.example/' });
    this.hearing = new Hearing(name, around.journal);
    this.#link = new PageLink(this, around);
  }

  get state(): 'running' | 'frozen' | 'gone' {
    if (this.whereabouts === 'gone') return 'gone';
    return this.#awakeSince === null ? 'frozen' : 'running';
  }

  get isReachable(): boolean {
    return this.whereabouts !== 'away';
  }

  /** Whether the browser knows it among its clients. */
  get isPresent(): boolean {
    return this.whereabouts !== 'gone' && this.whereabouts !== 'away';
  }

  enter(): void {
    const addEventListener = this.#window.addEventListener.bind(this.#window);
    Object.assign(globalThis, { document: this.#document, addEventListener });
  }

  poll(path: StatePath, interval: number): void {
    this.#want(path, interval, this.#connection.resource.poll(path, {}, { interval }));
  }

  follow(): void {
    const cursor = { from: { body: '/to' }, to: { query: 'since' } };
    this.#want('feed', LONG_POLL, this.#connection.resource.longPoll('feed', {}, { cursor }));
  }

  stop(path: string): void {
    this.loops.get(path)?.loop.stop();
    this.loops.delete(path);
    this.hearing.begin(path);
    this.#around.journal.loops.unwant(this.name, path, GRACE);
  }

  call(action: CallAction, name: string, timeout: number): void {
    const { calls } = this.#around.journal;
    const made = this.#callOf(action, name, timeout);
    calls.make(made);
    const headers = action === 'get' ? {} : { 'X-Tag': made.tag };
    const { resource } = this.#connection;
    const id = resource.invoke(action, { name }, undefined, { timeout, headers });
    this.#calls.push({ made, id });
    resource.result(id).then(
      () => calls.settle(made, 'success'),
      (error: unknown) => calls.settle(made, error instanceof RestError ? error.failure.code : String(error)),
    );
  }

  /** Aborts the newest call that is under way. */
  abort(): void {
    const call = this.#calls.findLast(({ made }) => made.outcome === null && !made.isLeft);
    if (!call) return;
    call.made.abortedAt = this.#around.timeline.now;
    this.#connection.resource.abort(call.id);
  }

  show(isShown: boolean): void {
    if ((this.whereabouts === 'shown') === isShown) return;
    this.whereabouts = isShown ? 'shown' : 'hidden';
    this.#document.hidden = !isShown;
    this.#document.dispatchEvent(new Event('visibilitychange'));
    if (isShown) this.#around.journal.loops.wake();
  }

  /** The browser freezes a hidden tab: its timers stand still, its messages wait. */
  freeze(): void {
    this.show(false);
    this.#document.dispatchEvent(new Event('freeze'));
    this.#rest('frozen');
  }

  goAway(): void {
    this.show(false);
    this.#window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true }));
    this.#around.journal.loops.unwant(this.name, null, this.#graceOfLeaving());
    this.#rest('away');
  }

  /** It is awake again, and what has waited comes; a handler of the app runs right after the library has greeted. */
  wake(handler: () => void): void {
    const { timeline, journal } = this.#around;
    const was = this.whereabouts;
    // An update that was begun before goes on.
    if (this.#updates > 0) journal.history.update();
    journal.loops.letGo(this.name);
    // A worker that it was about to greet as it fell asleep does not know that it is to come back.
    if (was === 'away' || journal.history.hasEnded(this.#sleptAt - GREETING)) this.hearing.fallBehind();
    this.whereabouts = 'hidden';
    this.#awakeSince = timeline.now;
    timeline.schedule(this, 0, () => {
      this.#tellThatItWakes(was === 'away');
      // After the library's own task, in which it greets.
      timeline.schedule(this, 0, () => {
        handler();
        this.show(true);
        this.#expectOverdue();
      });
    });
    timeline.thaw(this);
  }

  hearOnline(): void {
    this.#window.dispatchEvent(new Event('online'));
    const why = `${this.name} has seen the network come back`;
    const cutOff = [...this.loops.keys()].filter((path) => this.hearing.isCutOff(path));
    const isHidden = this.whereabouts !== 'shown';
    for (const path of cutOff) {
      const leastGap = isHidden && path !== 'feed' ? HIDDEN : 0;
      this.#around.journal.loops.expect(path, this.#periodOf(path), why, leastGap);
    }
  }

  disconnect(): void {
    this.#leave(GRACE);
    for (const { made } of this.#calls) made.isDisconnected = true;
    this.#connection.connection.close();
    this.#connected = null;
  }

  /** The tab is closed. */
  close(): void {
    this.#leave(this.#graceOfLeaving());
    this.#window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }));
    this.#vanish();
  }

  /** It is gone without a word. */
  crash(): void {
    this.#leave(GONE_GRACE);
    this.#vanish();
  }

  update(): void {
    this.#updates += 1;
    const applied = this.#connection.connection.update?.apply();
    void applied?.catch(() => {}).then(() => (this.#updates -= 1));
  }

  /** What the worker is doing; null where it does not answer. */
  inspect(): Promise<Inspection | null> {
    return this.#connection.connection.inspect().catch(() => null);
  }

  /** It is awake again, and may not have said yet what it wants. */
  get #isAboutToSay(): boolean {
    return this.#around.timeline.now - (this.#awakeSince ?? -Infinity) < SAYING;
  }

  get #connection(): Connected {
    return (this.#connected ??= this.#connect());
  }

  #connect(): Connected {
    const settings = resolveOptions({});
    const connection = new Connection(this.#link.host(), settings, () => (this.#lastId += 1));
    const resource = new Resource(DESCRIPTION, { connection });
    // So that the worker has more to tell than answers.
    resource.addListener('started', () => {});
    resource.addListener('success', (event) => {
      if (this.loops.has(event.action)) this.hearing.hear(event.action, event.response, event);
    });
    resource.addListener('error', ({ action, error }) => {
      if (this.loops.has(action)) this.hearing.fail(action, isCutOff(error));
    });
    resource.addListener('feedReset', () => this.hearing.reset(this.#around.timeline.now));
    connection.addEventListener('storage', () => {
      this.#around.journal.history.isForgetful = true;
    });
    return { connection, resource };
  }

  #want(path: string, period: number, loop: Loop): void {
    this.loops.set(path, { loop, period });
    this.hearing.begin(path);
    this.#around.journal.loops.want(this.name, path, period);
  }

  #callOf(action: CallAction, name: string, timeout: number): MadeCall {
    const { timeline, journal } = this.#around;
    const awake = this.#awakeFor();
    return {
      tag: `call ${journal.calls.size + 1}`,
      page: this.name,
      method: action.toUpperCase(),
      path: `state/${name}`,
      timeout,
      at: timeline.now,
      awakeFor: () => this.#awakeFor() - awake,
      abortedAt: null,
      isLeft: false,
      isDisconnected: false,
      begun: 0,
      applied: 0,
      outcome: null,
    };
  }

  #tellThatItWakes(wasAway: boolean): void {
    if (!wasAway) this.#document.dispatchEvent(new Event('resume'));
    else {
      for (const [path, { period }] of this.loops) this.#around.journal.loops.want(this.name, path, period);
      this.#window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
    }
  }

  #expectOverdue(): void {
    const { loops } = this.#around.journal;
    for (const path of this.loops.keys()) {
      const period = this.#periodOf(path);
      if (loops.isOverdue(path, period))
        loops.expect(path, period, `${this.name} is back, and it is overdue`);
    }
  }

  #periodOf(path: string): number {
    const period = this.loops.get(path)?.period ?? LONG_POLL;
    return this.whereabouts === 'shown' || path === 'feed' ? period : Math.max(period, HIDDEN);
  }

  /** Where it was about to greet, no worker hears that it goes: it is found to be gone. */
  #graceOfLeaving(): number {
    const { timeline, journal } = this.#around;
    const { now } = timeline;
    const isGreeting =
      this.#isAboutToSay || journal.history.isUpdating || journal.history.hasEnded(now - GREETING);
    return isGreeting ? GONE_GRACE : GRACE;
  }

  #leave(grace: number): void {
    const { loops } = this.#around.journal;
    loops.unwant(this.name, null, grace);
    if (this.#isAboutToSay) loops.lose(this.name);
    for (const path of this.loops.keys()) this.hearing.begin(path);
    this.loops.clear();
    for (const { made } of this.#calls) made.isLeft ||= made.outcome === null;
  }

  #vanish(): void {
    this.whereabouts = 'gone';
    this.#link.end();
  }

  #rest(whereabouts: 'frozen' | 'away'): void {
    const { timeline, journal } = this.#around;
    if (this.#isAboutToSay) journal.loops.hold(this.name);
    this.#awake = this.#awakeFor();
    this.#awakeSince = null;
    this.#sleptAt = timeline.now;
    this.whereabouts = whereabouts;
  }

  #awakeFor(): number {
    return this.#awake + (this.#awakeSince === null ? 0 : this.#around.timeline.now - this.#awakeSince);
  }
}

/** A failure that an earlier run of the worker has left comes without the answer that it had. */
function isCutOff(error: unknown): boolean {
  return error instanceof RestError && ['network', 'offline'].includes(error.failure.code);
}
