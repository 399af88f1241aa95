import { KEEPALIVE_DEADLINE, GREETING_DEADLINE } from '../../shared/deadlines.ts';
import { within } from '../deadline.ts';
import { FIRST_GREETING } from '../../shared/channel.ts';
import type { Welcome } from '../../shared/protocol.ts';
import { refusalIn } from '../../shared/guard.ts';
import type { Endpoint } from '../hosts/host.ts';
import type { Sight } from '../hosts/lookout.ts';
import { Transport } from './transport.ts';
import { hexadecimal } from '../../shared/hexadecimal.ts';
import { LONGEST_TIMER } from '../../shared/limits.ts';
import type { Calls } from './calls.ts';
import type { DeclaredLoops } from './loops.ts';

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

/** Greets the engine behind an endpoint, only to find out whether it answers. Never rejects. */
export async function probe(endpoint: Endpoint): Promise<Sight> {
  const transport = new Transport(endpoint, makeToken(), () => {});
  try {
    const greeting = transport.remote.greet(FIRST_GREETING);
    const { kind } = await within(GREETING_DEADLINE, 'The greeting', greeting);
    if (kind === 'welcome') transport.tell({ kind: 'close' });
    return SIGHTS[kind];
  } catch (error) {
    if (refusalIn(error)) return 'refuses';
    // The worker may hear the greeting later, and would then keep a session for it.
    transport.tell({ kind: 'close' });
    return 'silent';
  } finally {
    transport.close();
  }
}

const SIGHTS: Readonly<Record<Welcome['kind'], Sight>> = {
  welcome: 'answers',
  draining: 'draining',
  refused: 'refuses',
};

/** The unguessable name of a session: 128 bits. `crypto.randomUUID` is missing in pages loaded over plain http. */
export function makeToken(): string {
  return hexadecimal(crypto.getRandomValues(new Uint8Array(16)));
}

/** Milliseconds until a page whose loops or calls have no worker looks for one again. */
const RETRY = 5_000;

/** Wakes a worker for the page's loops, and for calls that go on though there was none. */
export class Waking {
  readonly #loops: Pick<DeclaredLoops, 'size' | 'neededIn'>;
  readonly #calls: Pick<Calls, 'size'>;
  readonly #wake: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(loops: Pick<DeclaredLoops, 'size' | 'neededIn'>, calls: Pick<Calls, 'size'>, wake: () => void) {
    this.#loops = loops;
    this.#calls = calls;
    this.#wake = wake;
  }

  /** Something about the loops has changed: a resting worker must learn of it, a running one may be needed. */
  now(): void {
    if (this.#loops.size > 0) this.#wake();
  }

  /** The worker is dead, or may die unseen: it is woken when the next loop is due. */
  whenDue(): void {
    const wait = this.#loops.neededIn;
    this.#in(wait === null ? null : Math.min(wait, LONGEST_TIMER));
  }

  /** There is no worker to be had: it is looked for again. */
  later(): void {
    this.#in(this.#isWanted ? RETRY : null);
  }

  #in(milliseconds: number | null): void {
    clearTimeout(this.#timer);
    if (milliseconds === null) return;
    this.#timer = setTimeout(() => {
      if (this.#isWanted) this.#wake();
    }, milliseconds);
  }

  get #isWanted(): boolean {
    return this.#loops.size > 0 || this.#calls.size > 0;
  }
}
