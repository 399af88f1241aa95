import { LIMITS } from '../../shared/limits.ts';
import type { GivenId, WriteReport } from '../../shared/outbox.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { entryOf } from '../outbox/entry.ts';
import type { OutboxEntry } from '../outbox/entry.ts';
import { named } from './write.ts';
import type { OptimisticWrite } from './write.ts';

/** A write that answers may not contain yet. It never changes: what becomes of it is another object. */
export interface Pending {
  /** That of its entry, or of its call. */
  readonly id: string;
  /** The name of its resource. */
  readonly resource: string;
  /** The same object as long as it says the same. */
  readonly write: OptimisticWrite;
  /** Orders the queue; infinite for one that is not stored. */
  readonly place: number;
  /** True while an answer may or may not contain it. */
  readonly isUnderWay: boolean;
  /** When it was done, in milliseconds of the epoch: what was asked for later contains it. Infinite before. */
  readonly endedAt: number;
}

/** Somebody who shows pending writes. */
export interface PendingWatcher {
  /** These writes of that resource have come, changed or gone. `isDone` is true where one of them is done. */
  readonly changed: (resource: string, actions: ReadonlySet<string>, isDone: boolean) => void;
  /** What it shows oldest is from that time, in milliseconds of the epoch; infinite for nothing. */
  readonly oldest: () => number;
}

/** How many done writes are kept before those are dropped that all who show them have in their answers. */
const KEPT = 100;

/** The writes of this page and of the outbox that answers may not contain yet, in the order of the queue. */
export class PendingWrites {
  readonly #all = new Map<string, Pending>();
  readonly #watchers = new Set<PendingWatcher>();
  readonly #names = new RecentlyUsed<string, GivenId>(LIMITS.waitingWrites);
  readonly #now: () => number;
  #inOrder: readonly Pending[] | null = null;
  #wanted: () => void = () => {};

  /** `now` is in milliseconds of the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Calls this when somebody begins to show what waits. */
  onWanted(wanted: () => void): void {
    this.#wanted = wanted;
  }

  get all(): readonly Pending[] {
    this.#inOrder ??= [...this.#all.values()].toSorted((one, other) => inOrder(one.place, other.place));
    return this.#inOrder;
  }

  get(id: string): Pending | undefined {
    return this.#all.get(id);
  }

  /** True where somebody would show what waits in the outbox. */
  get isWanted(): boolean {
    return this.#watchers.size > 0;
  }

  watch(watcher: PendingWatcher): () => void {
    const entry = { ...watcher };
    this.#watchers.add(entry);
    if (this.#watchers.size === 1) this.#wanted();
    return () => void this.#watchers.delete(entry);
  }

  /** A call has begun. Its answers count from its end on, unless it waits in the outbox. */
  begin(id: string, resource: string, write: OptimisticWrite, isUnderWay: boolean): void {
    this.#put({ id, resource, write: this.#named(write), place: Infinity, isUnderWay, endedAt: Infinity });
  }

  /** A call has ended: done, at that time in milliseconds of the epoch, or null where it has come to nothing. */
  end(id: string, doneAt: number | null): void {
    const pending = this.#all.get(id);
    if (!pending) return;
    if (doneAt === null) this.#drop(pending);
    else this.#put({ ...pending, isUnderWay: false, endedAt: this.#soonest(doneAt) });
  }

  /** What the outbox tells of a write. Where its data are too long to be told, those that are known stay. */
  hear(report: WriteReport): void {
    const { entry: id, state, resource, givenId, temporaryId } = report;
    if (givenId !== null && temporaryId !== null) this.#rename(temporaryId, givenId);
    const known = this.#all.get(id);
    const isOver = state === 'discarded' || state === 'review';
    if (isOver) return this.#drop(known);
    if (!report.isShown || (state === 'done' && !known)) return;
    const endedAt = state === 'done' ? this.#soonest(report.endedAt ?? this.#now()) : Infinity;
    const write = this.#writeOf(report, known?.write);
    this.#put({ id, resource, write, place: report.place, isUnderWay: state === 'sending', endedAt });
  }

  /** Another user has come. */
  empty(): void {
    const all = this.all;
    this.#all.clear();
    this.#names.clear();
    this.#tell(all, false);
  }

  #writeOf(report: WriteReport, known: OptimisticWrite | undefined): OptimisticWrite {
    const entry = entryOf(report);
    const { action, params, temporaryId } = entry;
    // What is known is what was sent, unless somebody has edited it: then it is told, or asked for.
    const isEdited = !known || (known.entry !== null && known.entry.key !== entry.key);
    if (!isEdited && known.entry && standingOf(known.entry) === standingOf(entry)) return known;
    const data = isEdited || report.body ? entry.data : known.data;
    return this.#named({ action, params, data, temporaryId, entry });
  }

  #named(write: OptimisticWrite): OptimisticWrite {
    return named(write, (temporaryId) => this.#names.get(temporaryId));
  }

  #rename(temporaryId: string, id: GivenId): void {
    if (this.#names.get(temporaryId) === id) return;
    this.#names.set(temporaryId, id);
    const renamed = this.all.flatMap((pending) => {
      const write = this.#named(pending.write);
      return write === pending.write ? [] : { ...pending, write };
    });
    for (const each of renamed) this.#all.set(each.id, each);
    this.#tell(renamed, false);
  }

  #put(pending: Pending): void {
    const isDone = pending.endedAt !== Infinity;
    this.#all.set(pending.id, pending);
    if (isDone) this.#forgetContained();
    this.#tell([pending], isDone);
  }

  #drop(pending: Pending | undefined): void {
    if (!pending) return;
    this.#all.delete(pending.id);
    this.#tell([pending], false);
  }

  /** Drops done writes that nobody shows any more. */
  #forgetContained(): void {
    const done = this.all.filter(({ endedAt }) => endedAt !== Infinity);
    if (done.length <= KEPT) return;
    const oldest = Math.min(...[...this.#watchers].map((watcher) => watcher.oldest()));
    const some = done.filter(({ endedAt }) => endedAt <= oldest);
    const tooMany = done.slice(0, Math.max(0, done.length - LIMITS.waitingWrites));
    for (const { id } of [...some, ...tooMany]) this.#all.delete(id);
    this.#inOrder = null;
  }

  #tell(changed: readonly Pending[], isDone: boolean): void {
    this.#inOrder = null;
    const actions = new Map<string, Set<string>>();
    for (const { resource, write } of changed)
      actions.set(resource, (actions.get(resource) ?? new Set()).add(write.action));
    const watchers = [...this.#watchers];
    for (const [resource, ofResource] of actions)
      for (const watcher of watchers) watcher.changed(resource, ofResource, isDone);
  }

  /** The clock may have been set back since: nothing was done later than now. */
  #soonest(at: number): number {
    return Math.min(at, this.#now());
  }
}

/** What an app may show of it. That it is sent again and again is no news. */
function standingOf({ state }: OutboxEntry): string {
  return state === 'sending' ? 'queued' : state;
}

/** Infinity minus itself is no number. */
function inOrder(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
