import type { LogOffset } from '../../shared/delivery.ts';
import type { Clock } from '../platform/system.ts';
import type { DurableState } from '../scheduling/durable-state.ts';

/** Milliseconds between two removals, so that a quick feed does not remove after every answer. */
const PAUSE = 1_000;

/** Milliseconds that it waits at the most after removals that failed, twice as long after each. */
const LONGEST_PAUSE = 60_000;

export interface PruningPorts {
  readonly clock: Clock;
  readonly state: Pick<DurableState, 'prune'> & {
    readonly record: Pick<DurableState['record'], 'log' | 'last'>;
  };
}

/**
 * Removes from a feed's log what all its pages have taken, some time after they have. As long as others may come back it
 * is only noted what can go when they have had their time: should this life of the worker end before, the next does not
 * begin that time anew, and a worker that ends every few seconds keeps no more than came within two such times.
 */
export class Pruning {
  readonly #ports: PruningPorts;
  readonly #notBefore: number;
  readonly #acknowledgedByAll: () => number;
  /** What is gone already. */
  #pruned: LogOffset | null = null;
  /** What is noted to go. */
  #noted: LogOffset | null = null;
  #end: AbortController | null = null;

  /** `takenByAll` is the number of the last entry that can go. Nothing goes before `notBefore`. */
  constructor(ports: PruningPorts, notBefore: number, takenByAll: () => number) {
    this.#ports = ports;
    this.#notBefore = notBefore;
    this.#acknowledgedByAll = takenByAll;
  }

  /** More has been taken, or somebody has come who has taken less. */
  start(): void {
    void this.#note();
    if (!this.#end) void this.#run();
  }

  /** Nobody follows: there is nothing to wait for. */
  rest(): void {
    this.#end?.abort();
    this.#end = null;
  }

  async #run(): Promise<void> {
    const { clock, state } = this.#ports;
    const end = new AbortController();
    this.#end = end;
    let pause = PAUSE;
    while (!end.signal.aborted && this.#isDue) {
      await clock.sleep(Math.max(pause, this.#notBefore - clock.now()), end.signal);
      const { log } = state.record;
      const offset = this.#acknowledgedByAll();
      if (end.signal.aborted || !this.#isDue) break;
      const isPruned = await state.prune(offset, 0);
      if (isPruned) this.#pruned = { log, offset };
      pause = isPruned ? PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
    }
    if (this.#end === end) this.#end = null;
  }

  /** Once, and whenever it is less than was noted: somebody has come back who wants what was to go. */
  async #note(): Promise<void> {
    const { clock, state } = this.#ports;
    const { log, last } = state.record;
    const patience = this.#notBefore - clock.now();
    const noted = { log, offset: this.#acknowledgedByAll() };
    if (patience <= 0 || last === 0 || (this.#noted?.log === log && this.#noted.offset <= noted.offset))
      return;
    this.#noted = noted;
    const isStored = await state.prune(noted.offset, patience);
    if (!isStored && this.#noted === noted) this.#noted = null;
  }

  get #isDue(): boolean {
    const { log } = this.#ports.state.record;
    return this.#acknowledgedByAll() > (this.#pruned?.log === log ? this.#pruned.offset : 0);
  }
}
