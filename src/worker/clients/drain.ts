import { SUCCESSOR_DEADLINE } from '../../shared/deadlines.ts';

/** Callbacks to run at shutdown; after shutdown they are ignored. */
export interface DrainPorts {
  /** Ends what can be asked again. Resolves when the rest is answered and told. */
  readonly empty: () => Promise<void>;
  /** This worker instance is over, though the worker runs on. */
  readonly retired: () => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The end of one worker instance. It begins once, when a page has a newer worker take over. */
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
