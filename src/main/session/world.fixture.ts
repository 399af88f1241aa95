import { isEnvelope } from '../../shared/guard.ts';
import { FakeSystem } from '../../worker/platform/system.fixture.ts';
import { settle } from '../../worker/platform/virtual-clock.fixture.ts';
import { QueryRecords } from '../queries/records.ts';
import { EngineLife } from './follows-state.fixture.ts';
import { hostOf } from './host.fixture.ts';
import { sessionOf } from './session.fixture.ts';
import type { Session } from './session.ts';

/** Sessions of pages with the shipped worker, which dies and is woken as a test says. */
export class World {
  readonly system: FakeSystem = new FakeSystem();
  /** True once the site's data was cleared: pages in Chromium then find the locks of their workers free. */
  isCleared = false;
  readonly #pages = new Map<string, PageEnd>();
  #life: EngineLife | null = null;

  constructor() {
    this.system.grant();
  }

  /** A session of a page. Several sessions of one page share its client id and have tokens of their own. */
  session(token = 'session', client = 'page', records: QueryRecords = new QueryRecords()): Session {
    const end = this.#pages.get(client) ?? new PageEnd();
    this.#pages.set(client, end);
    const host = hostOf(end.listeners, (message) => {
      const data: unknown = structuredClone(message);
      if (!isEnvelope(data)) return;
      const life = this.#wake();
      const postMessage = (answer: unknown): void => {
        if (!life.isOver) end.take(structuredClone(answer));
      };
      setImmediate(() => void life.house.receive({ id: client, postMessage }, data));
    });
    const over = (): Promise<void> => (this.isCleared ? Promise.resolve() : this.#wake().over);
    return sessionOf(host, token, this.system, over, records);
  }

  /** In the back/forward cache no message reaches a page. */
  setAway(isAway: boolean, client = 'page'): void {
    const end = this.#pages.get(client);
    if (end) end.isAway = isAway;
  }

  /** The worker dies; the next message wakes another. */
  async kill(): Promise<void> {
    this.#life?.end();
    this.#life = null;
    await settle();
  }

  /** The paths that the server is asked for in the next so many milliseconds. */
  async asked(milliseconds: number): Promise<string[]> {
    const before = this.system.requests.length;
    await this.pass(milliseconds);
    return this.system.requests.slice(before).map(({ url }) => new URL(url).pathname);
  }

  /** Lets time pass for the worker, with everything that follows. */
  async pass(milliseconds: number): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) await settle();
    for (let left = milliseconds; left > 0; left -= 500) {
      await this.system.clock.advance(Math.min(left, 500));
      await settle();
    }
  }

  #wake(): EngineLife {
    this.#life ??= new EngineLife(this.system, () => false, 1_000_000);
    return this.#life;
  }
}

/** Where messages to a page arrive. */
class PageEnd {
  readonly listeners = new Set<(data: unknown) => void>();
  isAway = false;

  take(data: unknown): void {
    setImmediate(() => {
      if (!this.isAway) for (const receive of this.listeners) receive(data);
    });
  }
}
