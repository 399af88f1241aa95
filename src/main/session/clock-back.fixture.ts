import { isEnvelope } from '../../shared/guard.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { FakeSystem } from '../../worker/platform/system.fixture.ts';
import { IDBFactory } from '../../worker/storage/indexeddb.fixture.ts';
import { AnswerOrder } from '../queries/record.ts';
import { EngineLife, JSON_TYPE, StateServer, turns } from './follows-state.fixture.ts';
import { hostOf } from './host.fixture.ts';
import { declaration, submission } from './invocation.fixture.ts';
import type { LoopListener } from './loop.ts';
import { sessionOf } from './session.fixture.ts';
import type { Session } from './session.ts';

const MINUTE = 60_000;

/** By how many milliseconds the clock is set back between two worker instances. */
export const BACK: readonly number[] = [MINUTE, 60 * MINUTE, 24 * 60 * MINUTE];

/** The fates of the stored data meanwhile. */
export const STORAGE: readonly Fate['storage'][] = ['kept', 'cleared', 'lost'];

/** The events between two worker instances. */
export interface Fate {
  readonly back: number;
  readonly storage: 'kept' | 'cleared' | 'lost';
  /** True where the server has news for the next instance. */
  readonly isChanged: boolean;
  /**
   * True where pages that know earlier instances stay in the back/forward cache until a new page has heard the next.
   */
  readonly isLate: boolean;
}

const PERIOD = 5_000;

/** A worker whose clock is set back at each restart, a server with one state, and two pages that poll and call. */
export class ClockBack {
  /** Pages that should have shown the newest state and did not, and those that went back to an older one. */
  readonly behind: string[] = [];
  readonly older: string[] = [];
  readonly #system = new FakeSystem();
  readonly #server: StateServer;
  readonly #pages: readonly ShowingPage[];
  #life: EngineLife;

  constructor() {
    this.#system.grant();
    this.#server = new StateServer(this.#system);
    this.#server.confirms = true;
    this.#life = this.#born();
    this.#pages = ['anna', 'bert'].map((name) => this.#open(name));
    this.#say();
  }

  /** One worker instance ends and another begins. */
  async suffer({ back, storage, isChanged, isLate }: Fate): Promise<void> {
    if (isLate) for (const page of this.#pages) page.leave();
    this.#life.end();
    if (storage === 'lost') Object.assign(this.#system, { indexedDB: new IDBFactory() });
    this.#system.clock.set(-back);
    if (isChanged) this.#say();
    this.#life = this.#born();
    const fresh = this.#open(`a new page`);
    if (storage === 'cleared') await fresh.clear();
    if (!isLate) await this.#askAll();
    await fresh.ask();
    await this.#live();
    if (isLate) for (const page of this.#pages) page.show();
    await this.#askAll();
    await this.#live();
    fresh.close();
    this.#look();
  }

  #open(name: string): ShowingPage {
    return new ShowingPage(name, this.#system, () => this.#life);
  }

  async #askAll(): Promise<void> {
    for (const page of this.#pages) await page.ask();
  }

  async #live(): Promise<void> {
    for (let tick = 0; tick < 3; tick += 1) {
      await this.#system.clock.advance(PERIOD);
      await turns();
    }
  }

  #look(): void {
    for (const { name, shown, wentBack } of this.#pages) {
      const newest = String(this.#server.newest);
      if (shown !== newest) this.behind.push(`${name} shows ${shown}, not ${newest}`);
      this.older.push(...wentBack.splice(0));
    }
  }

  #say(): void {
    const text = JSON.stringify({ said: this.#server.newest + 1, filling: 'x'.repeat(300) });
    this.#server.say({ text, type: JSON_TYPE, isStorable: true });
  }

  #born(): EngineLife {
    return new EngineLife(this.#system, () => false, 65_536);
  }
}

/** A page that shows the newest state it hears of, as a store does. */
class ShowingPage implements LoopListener {
  readonly name: string;
  /** The number of the state it shows. */
  shown: string | null = null;
  readonly wentBack: string[] = [];
  readonly #session: Session;
  readonly #order = new AnswerOrder();
  readonly #listeners = new Set<(data: unknown) => void>();
  #calls = 0;
  #isAway = false;

  constructor(name: string, system: FakeSystem, life: () => EngineLife) {
    this.name = name;
    const host = hostOf(this.#listeners, (message) => {
      const [current, data] = [life(), structuredClone(message)];
      const postMessage = (answer: unknown): void => {
        if (!current.isOver) setImmediate(() => this.#take(answer));
      };
      if (isEnvelope(data)) setImmediate(() => void current.house.receive({ id: name, postMessage }, data));
    });
    this.#session = sessionOf(host, name, system, () => life().over);
    this.#session.declare(
      declaration({ pace: { kind: 'poll', interval: PERIOD, hidden: 'continue' } }),
      this,
    );
  }

  /** Makes one call, which greets the present worker. */
  async ask(): Promise<void> {
    const settled = (outcome: Outcome): void => this.tick(outcome);
    const listener = { sent: () => {}, progress: () => {}, preliminary: () => {}, settled };
    this.#session.call(submission((this.#calls += 1)), listener);
    await turns();
  }

  leave(): void {
    this.#isAway = true;
    this.#session.presence.leave();
  }

  show(): void {
    this.#isAway = false;
    this.#session.presence.show();
  }

  close(): void {
    this.#session.close();
  }

  async clear(): Promise<void> {
    await this.#session.request({ kind: 'clear-cache' });
  }

  tick(outcome: Outcome): void {
    if (outcome.kind === 'failed') return;
    const { revision, answer } = outcome;
    const ordered = { revision, call: null };
    if (this.#order.judge(ordered) === 'older') return;
    this.#order.take(ordered);
    const number = answer.headers.find(([name]) => name.toLowerCase() === 'x-number')?.[1] ?? null;
    if (Number(number) < Number(this.shown)) this.wentBack.push(`${this.name} went back to ${number}`);
    this.shown = number;
  }

  unsent(): void {}
  ticking(): void {}
  sent(): void {}
  progress(): void {}
  reset(): void {}

  #take(data: unknown): void {
    if (this.#isAway) return;
    const clone: unknown = structuredClone(data);
    for (const receive of this.#listeners) receive(clone);
  }
}
