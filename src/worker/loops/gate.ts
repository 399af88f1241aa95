import { unreachable } from '../../shared/unreachable.ts';
import type { Sign } from '../reachability.ts';
import type { System } from '../system.ts';
import { Bell } from '../bell.ts';
import { effectOf, mayProbe } from './probe.ts';
import type { Probe } from './probe.ts';
import { afterReturn } from '../schedule.ts';

/** An origin that fails, or that failed when the loops last asked which belong to it. */
interface Post {
  readonly bell: Bell;
  /** The loops whose last request said so: the first failure of each is its own. */
  readonly failing: Set<object>;
  open: boolean;
  probe: Probe | null;
}

/**
 * While an origin fails, one of its loops asks, and the others wait for what it hears: a server that is down is not
 * asked by every loop of every page. A loop is named by any object of its own.
 */
export class Gate {
  readonly #system: Pick<System, 'clock' | 'random'>;
  readonly #posts = new Map<string, Post>();

  constructor(system: Pick<System, 'clock' | 'random'>) {
    this.#system = system;
  }

  /** Resolves with true when a loop that is due may ask, with false where the signal aborts before. */
  async pass(loop: object, origin: string, period: number, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const post = this.#posts.get(origin);
      if (!post || post.open || !post.failing.has(loop)) return true;
      if (mayProbe(post.probe, loop, period)) {
        post.probe = { loop, period, asking: true };
        return true;
      }
      await post.bell.heard(signal);
      if (post.open) await this.#spread(period, signal);
    }
    return false;
  }

  /** How the request of a loop that passed has ended; null where that says nothing of its origin. */
  hear(loop: object, origin: string, sign: Sign | null): void {
    this.#rest(loop, origin);
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

  /** The origin has answered, whomever it was: those who wait are let go, spread. */
  open(origin: string): void {
    const post = this.#posts.get(origin);
    if (!post) return;
    post.open = true;
    post.probe = null;
    post.bell.ring();
  }

  /** The network may be back: everyone may try. */
  openAll(): void {
    for (const origin of this.#posts.keys()) this.open(origin);
  }

  /** A loop will not ask for a while: should it be the probe, another one is. */
  stepAside(loop: object, origin: string): void {
    const post = this.#posts.get(origin);
    if (post?.probe?.loop !== loop) return;
    post.probe = null;
    post.bell.ring();
  }

  /** A loop has ended. */
  leave(loop: object, origin: string): void {
    this.#dismiss(loop, origin);
    this.stepAside(loop, origin);
  }

  #close(loop: object, origin: string): void {
    const post = this.#posts.get(origin) ?? newPost();
    post.failing.add(loop);
    post.open = false;
    this.#posts.set(origin, post);
  }

  /** The probe sleeps now: a quicker loop need not wait for it. */
  #rest(loop: object, origin: string): void {
    const post = this.#posts.get(origin);
    if (post?.probe?.loop !== loop) return;
    post.probe = { ...post.probe, asking: false };
    post.bell.ring();
  }

  #dismiss(loop: object, origin: string): void {
    const post = this.#posts.get(origin);
    post?.failing.delete(loop);
    if (post?.failing.size === 0) this.#posts.delete(origin);
  }

  /** All who waited hear of the answer at once. */
  async #spread(period: number, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#system;
    await clock.sleep(afterReturn(period, 0, random()), signal);
  }
}

function newPost(): Post {
  return { bell: new Bell(), failing: new Set(), open: false, probe: null };
}
