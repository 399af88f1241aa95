import { newLineage } from '../../../src/shared/outcome.ts';
import type { Revision } from '../../../src/shared/outcome.ts';
import type { Random } from '../random.ts';
import { Life } from './life.ts';
import { Tab } from './tab.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Two tabs, a worker that dies and lives again, and everything between them that may come late or twice. */
export class World {
  readonly tabs: readonly Tab[];
  newest: Revision = { lineage: newLineage(1, 'line'), number: 1 };
  deaths = 0;
  readonly #time: VirtualTime;
  readonly #random: Random;
  /** Waits for the locks of lives, which end with them, late, or for no reason. */
  readonly #watches: { readonly lock: string; readonly end: () => void }[] = [];
  #life: Life;
  #lines = 1;

  constructor(time: VirtualTime, random: Random) {
    this.#time = time;
    this.#random = random;
    this.#life = this.#born();
    this.tabs = ['one', 'two'].map((name) => this.#open(name));
  }

  /** What may happen, each with how often of a thousand. */
  readonly #events: readonly (readonly [number, () => void])[] = [
    [270, () => this.#tab().send(this.#life)],
    [300, () => this.#receive()],
    [100, () => this.#ask()],
    [150, () => this.#life.answer(this.#random.between(0, this.#life.asked.length))],
    [50, () => this.#tab().call()],
    [90, () => this.#time.pass(this.#random.between(1, 2_000))],
    [20, () => this.#notice()],
    [3, () => this.#die()],
    [2, () => this.#watches.splice(0).forEach(({ end }) => end())],
    [14, () => this.#freezeOrShow()],
    [1, () => this.#forget()],
  ];

  step(): void {
    let ticket = this.#random.between(0, 1_000);
    for (const [share, happen] of this.#events) {
      ticket -= share;
      if (ticket < 0) return happen();
    }
  }

  /** Nothing is lost, late or dead any more. */
  heal(): void {
    for (const tab of this.tabs) if (tab.frozen) tab.show();
    this.#notice(this.#life.lock);
    for (const tab of this.tabs) {
      while (tab.outbox.length > 0) tab.send(this.#life);
      for (const [life, inbox] of tab.inboxes) while (inbox.length > 0) tab.take(life);
    }
    for (const loop of this.#life.idleLoops) this.#life.ask(loop, this.newest);
    while (this.#life.asked.length > 0) this.#life.answer(0);
    this.#time.pass(1_000);
  }

  /** Ends like the platform's wait for a lock: milliseconds after its holder's death, or never. */
  readonly request = (lock: string, { signal }: { readonly signal: AbortSignal }): Promise<void> =>
    new Promise((resolve, reject) => {
      const watch = { lock, end: resolve };
      this.#watches.push(watch);
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });

  #open(name: string): Tab {
    const window = new EventTarget();
    Object.assign(globalThis, { addEventListener: window.addEventListener.bind(window) });
    return new Tab(name, window);
  }

  #tab(): Tab {
    return this.#random.one(this.tabs);
  }

  #receive(): void {
    const tab = this.#tab();
    const full = [...tab.inboxes].filter(([, inbox]) => inbox.length > 0);
    if (full.length > 0) tab.take(this.#random.one(full)[0]);
  }

  #ask(): void {
    const { idleLoops } = this.#life;
    if (this.#random.chance(0.5)) this.newest = { ...this.newest, number: this.newest.number + 1 };
    if (idleLoops.length > 0) this.#life.ask(this.#random.one(idleLoops), this.newest);
  }

  /** Tabs learn that locks are free: of lives that are over, none but that of the one that is. */
  #notice(alive = this.#life.lock): void {
    const over = this.#watches.filter(({ lock }) => lock !== alive);
    const left = this.#watches.filter(({ lock }) => lock === alive);
    this.#watches.splice(0, this.#watches.length, ...left);
    for (const { end } of over) end();
  }

  #die(): void {
    this.deaths += 1;
    this.#life.end();
    this.#life = this.#born();
    for (const tab of this.tabs) {
      for (const [life, inbox] of tab.inboxes) if (inbox.length === 0) tab.inboxes.delete(life);
    }
  }

  #born(): Life {
    return new Life(`life ${this.deaths}`, this.#time, () => this.newest);
  }

  #freezeOrShow(): void {
    const tab = this.#tab();
    if (tab.frozen) tab.show();
    else if (this.#random.chance(0.3)) tab.leave();
  }

  /** The stored base is gone: counting starts afresh. */
  #forget(): void {
    this.#lines += 1;
    this.newest = { lineage: newLineage(this.#lines, 'line'), number: 1 };
  }
}
