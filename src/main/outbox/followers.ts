import type { WriteReport } from '../../shared/outbox.ts';

/** Calls of this page that queue a write. Each hears of its ends once, though one may come before it has heard that it is queued. */
export class Followers {
  readonly #followers = new Map<string, Follower>();
  /** Calls that are to be queued, and the end that has come before they knew it. */
  readonly #expected = new Map<string, WriteReport | null>();

  /** A call asks for this to be queued: from now on its ends are kept, until it follows them or is forgotten. */
  expect(entry: string): void {
    this.#expected.set(entry, null);
  }

  /**
   * Calls `hear` with each end of the write, until the write is performed or discarded, or the signal aborts. False where an end has
   * come already.
   */
  follow(entry: string, hear: (write: WriteReport) => void, signal: AbortSignal): boolean {
    this.#followers.set(entry, { hear, signal, told: null });
    const missed = this.#expected.get(entry) ?? null;
    this.#expected.delete(entry);
    if (missed) this.hear(missed);
    return missed === null;
  }

  /** Ignores what is not an end. */
  hear(write: WriteReport): void {
    const { entry, state } = write;
    const end = endOf(write);
    if (end === null) return;
    const follower = this.#followers.get(entry);
    if (isFinal(end)) this.#followers.delete(entry);
    if (this.#expected.has(entry))
      this.#expected.set(entry, state === 'discarded' ? null : { ...write, body: null });
    if (state === 'discarded' || !follower || follower.signal.aborted || follower.told === end) return;
    follower.told = end;
    follower.hear(write);
  }

  forget(entry: string): void {
    this.#followers.delete(entry);
    this.#expected.delete(entry);
  }

  /** Another user has come, whose calls may be expected already. */
  empty(): void {
    this.#followers.clear();
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
