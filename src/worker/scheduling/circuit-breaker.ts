import { unreachable } from '../../shared/unreachable.ts';
import type { Sign } from '../contracts/reachability.ts';
import type { System } from '../platform/system.ts';
import { Bell } from '../platform/waiting.ts';
import { easeOf, isQuick, meanWait } from './back-off.ts';

/** An origin that fails, or that failed when its loops last asked. */
interface Circuit {
  readonly bell: Bell;
  /** The loops whose last request failed. A loop that is not among them may ask. */
  readonly failing: Set<object>;
  /** The failing loops that are due. */
  readonly waiting: Map<object, Due>;
  open: boolean;
  probe: Probe | null;
}

/**
 * While an origin fails, one of its loops asks and the others wait for what it hears, except for their quick tries: a
 * server that is down is not asked by every loop of every page. A loop is named by any object of its own.
 */
export class CircuitBreaker {
  readonly #system: Pick<System, 'clock' | 'random'>;
  readonly #circuits = new Map<string, Circuit>();

  constructor(system: Pick<System, 'clock' | 'random'>) {
    this.#system = system;
  }

  /** Resolves with true when a due loop may ask, with false if the signal aborts first. Quick tries always pass. */
  async pass(loop: object, origin: string, due: Due, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const post = this.#circuits.get(origin);
      if (!post || post.open || isQuick(due.failures) || !post.failing.has(loop)) return true;
      if (await this.#waitIn(post, loop, due, signal)) return true;
      if (post.open) await this.#spread(due, signal);
    }
    return false;
  }

  /** How the request of a loop that passed has ended; null where that says nothing of its origin. */
  hear(loop: object, origin: string, sign: Sign | null): void {
    if (sign === null) this.stepAside(loop, origin);
    else this.#rest(loop, origin);
    const effect = effectOf(sign);
    switch (effect) {
      case 'opens':
        this.#dismiss(loop, origin);
        return this.open(origin);
      case 'closes':
        return this.#close(loop, origin);
      case 'none':
        return;
      default:
        unreachable(effect);
    }
  }

  /** The origin has answered a call or a loop. The loops that wait may go, spread. */
  open(origin: string): void {
    const post = this.#circuits.get(origin);
    if (!post) return;
    post.open = true;
    post.probe = null;
    post.bell.ring();
  }

  /** The network may be back, so every loop may try. */
  openAll(): void {
    for (const origin of this.#circuits.keys()) this.open(origin);
  }

  /** A loop will not ask for a while. If it is the probe, another loop takes its place. */
  stepAside(loop: object, origin: string): void {
    const post = this.#circuits.get(origin);
    if (post?.probe?.loop !== loop) return;
    post.probe = null;
    post.bell.ring();
  }

  leave(loop: object, origin: string): void {
    this.#dismiss(loop, origin);
    this.stepAside(loop, origin);
  }

  #close(loop: object, origin: string): void {
    const post = this.#circuits.get(origin) ?? newPost();
    post.failing.add(loop);
    post.open = false;
    this.#circuits.set(origin, post);
  }

  /** The probe sleeps now, so a quicker loop need not wait for it. */
  #rest(loop: object, origin: string): void {
    const post = this.#circuits.get(origin);
    if (post?.probe?.loop !== loop) return;
    post.probe = { loop, endedAt: this.#system.clock.now() };
    post.bell.ring();
  }

  #dismiss(loop: object, origin: string): void {
    const post = this.#circuits.get(origin);
    post?.failing.delete(loop);
    if (post?.failing.size === 0) this.#circuits.delete(origin);
  }

  /** Resolves with true when it is the loop's turn, with false when the loop has to look again. */
  async #waitIn(post: Circuit, loop: object, due: Due, signal: AbortSignal): Promise<boolean> {
    post.waiting.set(loop, due);
    post.bell.ring();
    while (!signal.aborted && !post.open) {
      const wait = asksAt(post.probe, post.waiting, loop) - this.#system.clock.now();
      if (wait <= 0) break;
      await this.#changed(post, wait, signal);
    }
    post.waiting.delete(loop);
    post.bell.ring();
    if (signal.aborted || post.open) return false;
    post.probe = { loop, endedAt: null };
    return true;
  }

  /** Resolves when something has changed, after `wait` milliseconds at the latest. */
  async #changed({ bell }: Circuit, wait: number, signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const cancel = (): void => end.abort();
    signal.addEventListener('abort', cancel);
    await Promise.race([bell.heard(end.signal), this.#system.clock.sleep(wait, end.signal)]);
    signal.removeEventListener('abort', cancel);
    cancel();
  }

  /** All loops that waited hear of the answer at once, so they spread. */
  async #spread({ period, since }: Due, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#system;
    await clock.sleep(random() * easeOf(period, clock.now() - since), signal);
  }
}

function newPost(): Circuit {
  return { bell: new Bell(), failing: new Set(), waiting: new Map(), open: false, probe: null };
}

/** A loop that is due. Times are milliseconds. */
export interface Due {
  /** Between two of its requests as things are. */
  readonly period: number;
  /** In a row. */
  readonly failures: number;
  /** When it was due, of the epoch. */
  readonly since: number;
}

/** The loop that has asked last while the origin fails. */
export interface Probe {
  readonly loop: object;
  /** When its request ended, in milliseconds of the epoch; null while it is out, or about to go out. */
  readonly endedAt: number | null;
}

/**
 * When a loop that waits asks; Infinity where another one goes before it, or is out. They take turns, the one first
 * that has been due longest, since one may fail for reasons of its own and would silence the others for ever. So the
 * origin is asked as often as the quickest of them would: that may be one that has only begun to fail.
 */
export function asksAt(probe: Probe | null, waiting: ReadonlyMap<object, Due>, loop: object): number {
  const all = [...waiting.values()];
  const since = Math.min(...all.map((due) => due.since));
  const [first] = [...waiting.keys()].filter((each) => waiting.get(each)?.since === since);
  if (first !== loop) return Infinity;
  if (probe === null || (probe.loop === loop && all.length === 1)) return since;
  const wait = Math.min(...all.map(({ period, failures }) => meanWait(period, failures)));
  return probe.endedAt === null ? Infinity : probe.endedAt + wait;
}

/** What an outcome does: `opens` lets the loops through, `closes` holds them back. No answer in time closes too. */
export function effectOf(sign: Sign | null): 'opens' | 'closes' | 'none' {
  if (sign === null) return 'none';
  return sign === 'reachable' ? 'opens' : 'closes';
}
