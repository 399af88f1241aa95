import { unreachable } from '../../shared/unreachable.ts';

/** The worker's reaction to a greeting. */
export type Sight = 'answers' | 'draining' | 'refuses' | 'silent';

export interface LookoutPorts {
  /** Resolves once there is an active worker; rejects where none can be had. */
  readonly ready: () => Promise<void>;
  readonly greet: () => Promise<Sight>;
  /** A worker answers, so the search is over. */
  readonly found: () => void;
}

/** Milliseconds until a draining worker has been replaced. */
const SOON = 1_000;

/** Milliseconds between two looks, doubling from `FIRST` to `LAST`: each look wakes a worker or asks for a script. */
const FIRST = 5_000;
const LAST = 300_000;

/** Searches for a service worker that answers, for as long as the page runs the engine itself. */
export class Lookout {
  readonly #ports: LookoutPorts;
  #looking = false;
  #stopped = false;
  #wait = FIRST;
  #wake: () => void = () => {};

  constructor(ports: LookoutPorts) {
    this.#ports = ports;
  }

  /** Looks until a worker answers, for the first time after `after` milliseconds. */
  start(after: number = FIRST): void {
    if (!this.#looking) void this.#look(after);
  }

  /** Looks at once: something has happened after which a worker may answer. */
  hurry(): void {
    this.#wait = FIRST;
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  async #look(after: number): Promise<void> {
    this.#looking = true;
    this.#wait = FIRST;
    for (let wait: number | null = after; wait !== null; wait = this.#waitAfter(await this.#sight())) {
      await this.#sleep(wait);
      if (this.#stopped) return;
    }
    this.#looking = false;
    if (this.#stopped) return;
    this.#ports.found();
  }

  async #sight(): Promise<Sight> {
    try {
      await this.#ports.ready();
      return await this.#ports.greet();
    } catch {
      return 'silent';
    }
  }

  /** Milliseconds until the next look; null where the search is over. */
  #waitAfter(sight: Sight): number | null {
    switch (sight) {
      case 'answers':
        return null;
      case 'draining':
        return SOON;
      case 'refuses':
      case 'silent': {
        const wait = this.#wait;
        this.#wait = Math.min(LAST, wait * 2);
        return wait;
      }
      default:
        return unreachable(sight);
    }
  }

  async #sleep(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => {};
  }
}
