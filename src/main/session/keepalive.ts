import { KEEPALIVE_DEADLINE } from '../../shared/deadlines.ts';
import { within } from '../deadline.ts';

/** Milliseconds that a call may take before the worker is kept alive for it; most calls end sooner. */
const LONG_CALL = 10_000;

export interface KeepalivePorts {
  /** True where a loop or a call needs the worker. */
  readonly needed: () => boolean;
  /** Asks the worker to stay alive; it answers when it is this page's turn to ask again. */
  readonly stay: () => Promise<unknown>;
  /** True where the worker's death shows by itself. Otherwise its silence is the sign, and it answers every page. */
  readonly watched: () => boolean;
  readonly silent: () => void;
  /** The worker is not kept alive any more. */
  readonly ended: () => void;
}

/** Keeps the worker alive by ping-pong: each answer makes the page ask again, since a hidden page's timers are slow. */
export class Keepalive {
  readonly #ports: KeepalivePorts;
  /** Counts worker instances: silence of an earlier one no longer matters. */
  #life = 0;
  #running = false;
  #later: ReturnType<typeof setTimeout> | null = null;

  constructor(ports: KeepalivePorts) {
    this.#ports = ports;
  }

  start(): void {
    if (!this.#running) void this.#run();
  }

  /** Starts later, unless the need is soon over. Where there is no worker, the greeting comes first and starts it. */
  startLater(): void {
    // Without a need, no timer: Node would wait for it.
    if (this.#later !== null || !this.#ports.needed()) return;
    this.#later = setTimeout(() => {
      this.#later = null;
      this.start();
    }, LONG_CALL);
  }

  /** There is a new worker instance, which has not been asked yet. */
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
    if (life !== this.#life) return;
    this.#running = false;
    this.#ports.ended();
  }
}
