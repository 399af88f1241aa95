import type { Outbox, OutboxEvent } from '../../../src/main/outbox/outbox.ts';
import type { Ledger } from './ledger.ts';
import { nameOf } from './ledger.ts';
import type { User } from './plan.ts';
import { isOrphan } from './written.ts';
import type { Written } from './written.ts';

/** Milliseconds that a page needs to hear of everything from then on. */
const BEGINNING = 3_000;

/** What the outbox of one page has told. */
export class Heard {
  readonly #page: string;
  readonly #ledger: Ledger;
  /** How often each thing was told. */
  readonly #told = new Map<string, number>();
  /** When each write was told last to be in review. */
  readonly #reviews = new Map<string, number>();
  #user: User | null = null;
  #since = Infinity;

  constructor(page: string, ledger: Ledger) {
    this.#page = page;
    this.#ledger = ledger;
  }

  /** The page is that user's from now on. */
  begin(user: User | null): void {
    this.#user = user;
    this.#since = this.#ledger.now + BEGINNING;
  }

  listen(outbox: Outbox): void {
    for (const type of ['done', 'review', 'conflict', 'renamed'] as const)
      outbox.addEventListener(type, (event) => this.#hear(event));
  }

  hasReview({ entry, refusedAt }: Written): boolean {
    return entry !== null && (this.#reviews.get(entry) ?? -Infinity) >= (refusedAt ?? Infinity);
  }

  /** At the end: what it was not told although it was there. */
  lookForMissing(): void {
    for (const write of this.#ledger.writes) {
      const { entry, answeredAt, user } = write;
      const isMeant = user === this.#user && answeredAt !== null && answeredAt > this.#since;
      if (!isMeant || entry === null || write.discard !== 'none') continue;
      if (!this.#told.has(`done ${entry}`)) this.#differ(`was not told that ${nameOf(write)} is done`);
    }
  }

  #hear({ type, entry }: OutboxEvent): void {
    const { id, attempts, key } = entry;
    const write = this.#ledger.ofEntry(id) ?? this.#ledger.ofContent(entry.data);
    if (!write) return this.#differ(`was told ${type} of a write that nobody has made`);
    if (write.user !== this.#user) this.#differ(`was told ${type} of ${nameOf(write)} of ${write.user}`);
    write.entry ??= id;
    const what = type === 'done' || type === 'renamed' ? `${type} ${id}` : `${type} ${id} ${key} ${attempts}`;
    const times = (this.#told.get(what) ?? 0) + 1;
    this.#told.set(what, times);
    // A write that names something discarded goes back to review with each retry, without an attempt.
    if (times > 1 && !isOrphan(write)) this.#differ(`was told ${type} of ${nameOf(write)} ${times} times`);
    if (type === 'done' && write.version === null)
      this.#differ(`was told that ${nameOf(write)} is done, and it is not`);
    if (type !== 'review') return;
    this.#reviews.set(id, this.#ledger.now);
    write.reviewedAt = this.#ledger.now;
  }

  #differ(difference: string): void {
    this.#ledger.differ(`${this.#page} ${difference}`);
  }
}

/** The id of the entry that is the result of a call; null for another result. */
export function entryIn(result: unknown): string | null {
  const isQueued = typeof result === 'object' && result !== null && 'entry' in result;
  if (!isQueued) return null;
  const { entry } = result;
  const hasId = typeof entry === 'object' && entry !== null && 'id' in entry;
  return hasId && typeof entry.id === 'string' ? entry.id : null;
}
