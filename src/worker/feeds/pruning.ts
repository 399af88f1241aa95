import type { LogOffset } from '../../shared/delivery.ts';
import type { Clock } from '../platform/system.ts';
import type { DurableState } from '../scheduling/durable-state.ts';

/** Milliseconds between two removals, so that a quick feed does not remove after every answer. */
const PAUSE = 1_000;

/** The longest pause in milliseconds. The pause doubles after each removal that fails. */
const LONGEST_PAUSE = 60_000;

export interface PruningPorts {
  readonly clock: Clock;
  readonly state: Pick<DurableState, 'prune'> & {
    readonly record: Pick<DurableState['record'], 'log' | 'last'>;
  };
}

/**
 * Removes from a feed's log what all its pages have acknowledged, some time later. While other pages may still come
 * back, it only notes what can go after that time. Should this worker instance end before, the next does not begin that
 * time anew, so a worker that ends every few seconds keeps no more than came within two such times.
 */
export class Pruning {
  readonly #ports: PruningPorts;
  readonly #notBefore: number;
  readonly #acknowledgedByAll: () => number;
  /** Entries up to here are removed already. */
  #pruned: LogOffset | null = null;
  /** Entries up to here are noted for removal. */
  #noted: LogOffset | null = null;
  #end: AbortController | null = null;

  /** `takenByAll` gives the offset of the last entry that can go. Nothing goes before `notBefore`. */
  constructor(ports: PruningPorts, notBefore: number, takenByAll: () => number) {
    this.#ports = ports;
    this.#notBefore = notBefore;
    this.#acknowledgedByAll = takenByAll;
  }

  /** More is acknowledged, or a page has come that has acknowledged less. */
  start(): void {
    void this.#note();
    if (!this.#end) void this.#run();
  }

  /** No page follows, so there is nothing to wait for. */
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

  /** Notes once, and again when less can go than was noted: a page has come back that wants those entries. */
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
