import type { WriteReport } from '../../shared/outbox.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';

/** How many ends of writes that nobody follows are remembered, with their answers: those of other tabs are among them. */
const REMEMBERED = 100;

/** Calls of this page that have queued a write. Each hears of its ends once, though one may come before it follows. */
export class Followers {
  readonly #followers = new Map<string, Follower>();
  /** Ends that came while nobody followed. */
  readonly #missed = new RecentlyUsed<string, WriteReport>(REMEMBERED);

  /**
   * Calls `hear` with each end of the write, until the write is performed or discarded, or the signal aborts. False where an end has
   * come already.
   */
  follow(entry: string, hear: (write: WriteReport) => void, signal: AbortSignal): boolean {
    this.#followers.set(entry, { hear, signal, told: null });
    const missed = this.#missed.peek(entry);
    this.#missed.delete(entry);
    if (missed) this.hear(missed);
    return missed === undefined;
  }

  /** Ignores what is not an end. */
  hear(write: WriteReport): void {
    const { entry, state } = write;
    const end = endOf(write);
    if (end === null) return;
    const follower = this.#followers.get(entry);
    if (isFinal(end)) this.forget(entry);
    if (state === 'discarded') return;
    if (!follower) this.#missed.set(entry, { ...write, body: null });
    if (!follower || follower.signal.aborted || follower.told === end) return;
    follower.told = end;
    follower.hear(write);
  }

  forget(entry: string): void {
    this.#followers.delete(entry);
    this.#missed.delete(entry);
  }

  empty(): void {
    this.#followers.clear();
    this.#missed.clear();
  }

  /** The writes that are followed. */
  get entries(): string[] {
    return [...this.#followers].flatMap(([entry, { signal }]) => (signal.aborted ? [] : entry));
  }
}

interface Follower {
  readonly hear: (write: WriteReport) => void;
  readonly signal: AbortSignal;
  /** The end that it has heard last. */
  told: string | null;
}

/** Names what has become of a write, so that it can be told once. Null where it goes on by itself. */
export function endOf({ state, key, attempts, version }: WriteReport): string | null {
  switch (state) {
    case 'done':
    case 'discarded':
      return state;
    // Sent again, it may be refused again; retried, it may come to review again without an attempt.
    case 'review':
    case 'conflict':
      return `${key} ${attempts} ${version}`;
    default:
      return null;
  }
}

/** Nothing follows after that. */
export function isFinal(end: string): boolean {
  return end === 'done' || end === 'discarded';
}
