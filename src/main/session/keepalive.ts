import { KEEPALIVE_DEADLINE } from '../../shared/deadlines.ts';
import { within } from '../deadline.ts';

/** Milliseconds that a call may take before the worker is asked to stay for it; most are long over. */
const LONG_CALL = 10_000;

export interface KeepalivePorts {
  /** Whether a loop or a call needs the worker. */
  readonly needed: () => boolean;
  /** Asks the worker to stay; it answers when it is this page's turn to ask again. */
  readonly stay: () => Promise<unknown>;
  /** Whether the worker's death shows by itself; otherwise its silence is the sign, and it answers everybody. */
  readonly watched: () => boolean;
  /** The worker did not answer. */
  readonly silent: () => void;
}

/**
 * Keeps the worker alive while it is needed, by ping-pong: the answer itself makes the page ask again, since the
 * timers of a hidden page are too slow for that.
 */
export class Keepalive {
  readonly #ports: KeepalivePorts;
  /** Counts the worker's lives: what an earlier one does not answer means nothing any more. */
  #life = 0;
  #running = false;
  #later: ReturnType<typeof setTimeout> | null = null;

  constructor(ports: KeepalivePorts) {
    this.#ports = ports;
  }

  /** Something needs the worker. */
  start(): void {
    if (!this.#running) void this.#run();
  }

  /** Starts unless what needs the worker now is soon over. A greeting, which comes first where there is none, starts it. */
  startLater(): void {
    // Node waits for a timer.
    if (this.#later !== null || !this.#ports.needed()) return;
    this.#later = setTimeout(() => {
      this.#later = null;
      this.start();
    }, LONG_CALL);
  }

  /** The worker has a new life, which has not been asked yet. */
  renew(): void {
    this.#life += 1;
    void this.#run();
  }

  async #run(): Promise<void> {
    const life = this.#life;
    this.#running = true;
    try {
      while (life === this.#life && this.#ports.needed()) {
        const stay = this.#ports.stay();
        await (this.#ports.watched() ? stay : within(KEEPALIVE_DEADLINE, 'A sign of life', stay));
      }
    } catch {
      if (life === this.#life) this.#ports.silent();
    }
    if (life === this.#life) this.#running = false;
  }
}
