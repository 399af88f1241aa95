import type { FeedPosition } from '../../shared/protocol.ts';
import type { Clock } from '../system.ts';
import type { Memory } from './memory.ts';

/** Milliseconds between two removals, so that a quick feed does not remove after every answer. */
const PAUSE = 1_000;

export interface PruningPorts {
  readonly clock: Clock;
  readonly memory: Memory;
}

/** Removes from a feed's log what all its pages have taken, some time after they have. */
export class Pruning {
  readonly #ports: PruningPorts;
  readonly #notBefore: number;
  readonly #takenByAll: () => number;
  /** What is gone already. */
  #pruned: FeedPosition | null = null;
  #end: AbortController | null = null;

  /** `takenByAll` is the number of the last entry that can go. Nothing goes before `notBefore`. */
  constructor(ports: PruningPorts, notBefore: number, takenByAll: () => number) {
    this.#ports = ports;
    this.#notBefore = notBefore;
    this.#takenByAll = takenByAll;
  }

  /** More has been taken. */
  start(): void {
    if (!this.#end) void this.#run();
  }

  /** Nobody follows: there is nothing to wait for. */
  rest(): void {
    this.#end?.abort();
    this.#end = null;
  }

  async #run(): Promise<void> {
    const { clock, memory } = this.#ports;
    const end = new AbortController();
    this.#end = end;
    while (!end.signal.aborted && this.#isDue) {
      await clock.sleep(Math.max(PAUSE, this.#notBefore - clock.now()), end.signal);
      const { log } = memory.record;
      const n = this.#takenByAll();
      if (end.signal.aborted || !this.#isDue) break;
      await memory.prune(n);
      this.#pruned = { log, n };
    }
    if (this.#end === end) this.#end = null;
  }

  get #isDue(): boolean {
    const { log } = this.#ports.memory.record;
    return this.#takenByAll() > (this.#pruned?.log === log ? this.#pruned.n : 0);
  }
}
