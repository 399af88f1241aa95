import { SUCCESSOR_DEADLINE } from '../../shared/deadlines.ts';

/** What is done on the way out, and after it in vain. */
export interface DrainPorts {
  /** Ends what can be asked again; resolves when the rest is answered and told. */
  readonly empty: () => Promise<void>;
  /** This life of the worker is over, though the worker runs on. */
  readonly retired: () => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The end of one life of the worker: begun once, at the wish of a page that has a newer worker take over. */
export class Drain {
  readonly #ports: DrainPorts;
  readonly #begun = new AbortController();
  #done: Promise<void> | null = null;

  constructor(ports: DrainPorts) {
    this.#ports = ports;
  }

  /** Aborts when the drain begins. */
  get signal(): AbortSignal {
    return this.#begun.signal;
  }

  get begun(): boolean {
    return this.signal.aborted;
  }

  /** Resolves when nothing holds the worker any more. */
  run(): Promise<void> {
    this.#done ??= this.#run();
    return this.#done;
  }

  async #run(): Promise<void> {
    this.#begun.abort();
    await this.#ports.empty();
    void this.#outlive();
  }

  async #outlive(): Promise<void> {
    await this.#ports.sleep(SUCCESSOR_DEADLINE);
    this.#ports.retired();
  }
}
