import { LIMITS } from '../../shared/limits.ts';
import type { GivenId, WriteReport } from '../../shared/outbox.ts';
import { mayFollowDeed } from '../../shared/outcome.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { entryOf } from '../outbox/entry.ts';
import { told } from '../queries/view.ts';
import { Names } from './names.ts';
import { Queue } from './queue.ts';
import type { OptimisticWrite } from './write.ts';

/** A write that answers may not contain yet. It never changes: what becomes of it is another object. */
export interface Pending {
  /** That of its entry, or of its call. */
  readonly id: string;
  /** The name of its resource. */
  readonly resource: string;
  /** The same object as long as it says the same. */
  readonly write: OptimisticWrite;
  /** Orders those that are stored, of which the outbox tells what becomes; null for one that is not. */
  readonly place: number | null;
  /** True while an answer may or may not contain it. */
  readonly isUnderWay: boolean;
  /** When it was done, in milliseconds of the epoch: what was asked for later contains it. Infinite before. */
  readonly endedAt: number;
}

/** Somebody who shows pending writes. */
export interface PendingWatcher {
  /**
   * These writes of that resource have come, changed or gone. `isDone` is true where one of them is done. `behindAt`: when one ended
   * that is not shown from now on, and that its server has, may have, or has another version than; null for none. What was asked for
   * before is behind.
   */
  readonly changed: (
    resource: string,
    actions: ReadonlySet<string>,
    isDone: boolean,
    behindAt: number | null,
  ) => void;
  /** A write of that action is done, or may be, by that time in milliseconds of the epoch. May be told again. */
  readonly done: (resource: string, action: string, at: number) => void;
  /** False where it shows no writes before they are done. */
  readonly isShowing: () => boolean;
  /** What it shows oldest is from that time, in milliseconds of the epoch; infinite for nothing. */
  readonly oldest: () => number;
}

/** How many done writes are kept before those are dropped that all who show them have in their answers. */
const KEPT = 100;

/** The writes of this page and of the outbox that answers may not contain yet, in the order of the queue. */
export class PendingWrites {
  readonly #all = new Map<string, Pending>();
  readonly #queue = new Queue();
  /** Held weakly: a resource that nobody holds any more shows nothing. */
  readonly #watchers = new Set<WeakRef<PendingWatcher>>();
  readonly #names = new Names();
  /** The last report of each write, that of one which has ended, too: what comes late is from before. */
  readonly #heard = new RecentlyUsed<string, WriteReport>(2 * LIMITS.waitingWrites);
  readonly #givenUp = new RecentlyUsed<string, true>(KEPT);
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
    this.#inOrder ??= this.#queue.ids.map((id) => this.#all.get(id)).filter((each) => each !== undefined);
    return this.#inOrder;
  }

  get(id: string): Pending | undefined {
    return this.#all.get(id);
  }

  /** True where somebody would show what waits in the outbox. */
  get isWanted(): boolean {
    return this.#watching.some((watcher) => watcher.isShowing());
  }

  /** Tells the watcher, as long as anybody else holds it; the returned function ends that. */
  watch(watcher: PendingWatcher): () => void {
    const held = new WeakRef(watcher);
    this.#watchers.add(held);
    this.#wanted();
    return () => void this.#watchers.delete(held);
  }

  /** A call has begun. While it is under way, nobody knows what answers contain; one that is to be queued is not yet. */
  begin(id: string, resource: string, write: OptimisticWrite, isUnderWay: boolean): void {
    this.#put([
      { id, resource, write: this.#names.in(id, write), place: null, isUnderWay, endedAt: Infinity },
    ]);
  }

  /** It could not be queued, and is sent like any other call. */
  sent(id: string): void {
    const pending = this.#all.get(id);
    if (pending) this.#put([{ ...pending, isUnderWay: true }]);
  }

  /** Another worker has answered: what the one before has done may be in its answers, and is told only afterwards. */
  doubt(): void {
    this.#turn(true, () => true);
  }

  /** Nothing more is to be had of those that are stored: they are as they were told last. */
  believe(): void {
    this.#turn(false, ({ id, place }) => place !== null && this.#heard.get(id)?.state !== 'sending');
  }

  /** A call has ended: done, at that time in milliseconds of the epoch, or null where it has come to nothing. */
  end(id: string, doneAt: number | null): void {
    const pending = this.#all.get(id);
    if (!pending) return;
    if (doneAt === null) this.#giveUp(pending);
    else this.#put([{ ...pending, isUnderWay: false, endedAt: Math.min(doneAt, this.#now()) }]);
  }

  /** A write is done, or may be, whether it was shown before or not. */
  done(resource: string, action: string, doneAt: number): void {
    const at = Math.min(doneAt, this.#now());
    for (const watcher of this.#watching) told(() => watcher.done(resource, action, at));
  }

  /** A server has named what stood for an id. */
  name(temporaryId: string, id: GivenId): void {
    this.#put(this.#renamed(temporaryId, id));
  }

  /** What the outbox tells of writes. Where their data are too long to be told, those that are known stay. */
  hear(reports: readonly WriteReport[]): void {
    this.#put(reports.flatMap((report) => this.#heardOf(report)));
    for (const { state, resource, action, endedAt } of reports)
      if (state === 'done') this.done(resource, action, endedAt ?? Infinity);
  }

  /** The same of writes of which it is not known yet what they send, or what somebody has made of that. */
  note(reports: readonly WriteReport[]): void {
    const known = reports.flatMap((report) => {
      const { entry, state } = report;
      const before = this.#heard.get(entry);
      if (before && isLater(before, report)) return [];
      this.#heard.set(entry, { ...report, body: null });
      const pending = this.#all.get(entry);
      return pending ? { ...pending, isUnderWay: state === 'sending' } : [];
    });
    this.#put(known);
  }

  /** Another user has come. */
  empty(): void {
    const { all } = this;
    this.#all.clear();
    this.#queue.clear();
    this.#names.clear();
    this.#heard.clear();
    this.#inOrder = null;
    this.#tell(all, false);
  }

  get #watching(): PendingWatcher[] {
    const all = [...this.#watchers];
    return all.flatMap((held) => {
      const watcher = held.deref();
      if (!watcher) this.#watchers.delete(held);
      return watcher ?? [];
    });
  }

  #heardOf(report: WriteReport): Pending[] {
    const { entry: id, state, resource, action, place, givenId, temporaryId } = report;
    const before = this.#heard.get(id);
    if (before && isLater(before, report)) {
      // It may have what was left out of the later one.
      const { body } = report;
      const isKnown = this.#all.get(id)?.write.entry?.key === report.key;
      const isLacking = !isKnown && before.key === report.key && isWaiting(before.state);
      return isLacking && body ? this.#heardOf({ ...before, body }) : [];
    }
    if (this.#givenUp.peek(id) && report.attempts === 0 && state === 'queued') return [];
    const known = this.#all.get(id);
    // One that nobody shows need not be remembered, unless it ends now: what was asked before may say that it waits.
    if (report.isShown) this.#heard.set(id, { ...report, body: null, answer: null });
    const renamed = givenId !== null && temporaryId !== null ? this.#renamed(temporaryId, givenId) : [];
    const endedBy = Math.min(report.endedAt ?? Infinity, this.#now());
    const isDone = state === 'done';
    if (!isWaiting(state) && !(isDone && known)) {
      const behindAt = !isDone && leavesAsItWas(report, before) ? null : endedBy;
      if (known) this.#remove(known);
      // A page may hear of the end alone. One that was discarded on its way is told once more when its server has answered.
      if (known || state !== 'review') this.#tell([{ resource, write: report }], isDone, behindAt);
      if (state === 'discarded' && behindAt !== null) this.done(resource, action, behindAt);
      return renamed;
    }
    if (!report.isShown) return renamed;
    const endedAt = isDone ? endedBy : Infinity;
    const shown = this.#all.get(id)?.write;
    // Of one that ended a while ago, the worker does not know what it sent: what is shown stays until an answer contains it.
    const isPast = isDone && report.answer === null;
    const write = isPast && shown ? shown : this.#writeOf(report, shown);
    const pending = { id, resource, write, place, isUnderWay: state === 'sending', endedAt };
    // The next report may give a name to it.
    this.#all.set(id, pending);
    return [...renamed, pending];
  }

  #writeOf(report: WriteReport, known: OptimisticWrite | undefined): OptimisticWrite {
    // The page knows what it has sent. What an edit has changed is told, or the page asks for it.
    const isEdited = !known || (known.entry !== null && known.entry.key !== report.key);
    if (!isEdited && known.entry && standingOf(known.entry) === standingOf(report)) return known;
    const entry = entryOf(report);
    const { action, params, temporaryId } = entry;
    const data = isEdited || report.body ? entry.data : known.data;
    return this.#names.in(entry.id, { action, params, data, temporaryId, entry });
  }

  #renamed(temporaryId: string, id: GivenId): Pending[] {
    return this.#names.give(temporaryId, id).flatMap((each) => {
      const before = this.#all.get(each);
      if (!before) return [];
      const pending = { ...before, write: this.#names.in(each, before.write) };
      this.#all.set(each, pending);
      return pending;
    });
  }

  #turn(isUnderWay: boolean, isMeant: (pending: Pending) => boolean): void {
    const some = this.all.filter(
      (pending) => pending.endedAt === Infinity && pending.isUnderWay !== isUnderWay && isMeant(pending),
    );
    this.#put(some.map((pending) => ({ ...pending, isUnderWay })));
  }

  #put(all: readonly Pending[]): void {
    if (all.length === 0) return;
    for (const pending of all) {
      this.#all.set(pending.id, pending);
      this.#queue.put(pending.id, pending.place);
    }
    this.#inOrder = null;
    const isDone = all.some(({ endedAt }) => endedAt !== Infinity);
    if (isDone) this.#forgetContained();
    this.#tell(all, isDone);
  }

  /** Its worker may still say that it has it. */
  #giveUp(pending: Pending): void {
    this.#givenUp.set(pending.id, true);
    this.#remove(pending);
    this.#tell([pending], false);
  }

  #remove({ id }: Pending): void {
    this.#all.delete(id);
    this.#queue.delete(id);
    this.#inOrder = null;
  }

  /** Drops done writes that nobody shows any more. */
  #forgetContained(): void {
    const done = this.all.filter(({ endedAt }) => endedAt !== Infinity);
    if (done.length <= KEPT) return;
    const oldest = Math.min(...this.#watching.map((watcher) => watcher.oldest()));
    const some = done.filter(({ endedAt }) => endedAt <= oldest);
    const tooMany = done.slice(0, Math.max(0, done.length - LIMITS.waitingWrites));
    for (const pending of [...some, ...tooMany]) this.#remove(pending);
  }

  #tell(changed: readonly Told[], isDone: boolean, behindAt: number | null = null): void {
    const actions = new Map<string, Set<string>>();
    for (const { resource, write } of changed)
      actions.set(resource, (actions.get(resource) ?? new Set()).add(write.action));
    for (const watcher of this.#watching)
      for (const [resource, ofResource] of actions)
        told(() => watcher.changed(resource, ofResource, isDone, behindAt));
  }
}

/** What is told of a write. */
interface Told extends Pick<Pending, 'resource'> {
  readonly write: Pick<OptimisticWrite, 'action'>;
}

/** True where a write is shown. */
export function isWaiting(state: WriteReport['state']): boolean {
  return state !== 'done' && state !== 'discarded' && state !== 'review';
}

/** True where its server has not heard of it, or was not able to look at it when it was asked last. */
function leavesAsItWas({ attempts }: WriteReport, before: WriteReport | undefined): boolean {
  if (attempts === 0) return true;
  const { state, failure = null } = before ?? {};
  if (state !== 'queued' || failure === null) return false;
  return failure.code === 'offline' || (failure.code === 'http' && !mayFollowDeed(failure.status));
}

/** What an app may show of it. That it is sent again and again is no news. */
function standingOf({ state }: Pick<WriteReport, 'state'>): string {
  return state === 'sending' ? 'queued' : state;
}

/** How far an attempt has come, as far as states with one number of attempts have an order. */
const STEPS: Readonly<Record<WriteReport['state'], number>> = {
  sending: 0,
  queued: 1,
  paused: 1,
  conflict: 1,
  review: 1,
  done: 2,
  discarded: 2,
};

/** True where `before` tells of a later moment in the life of the write: a reply may be late. */
function isLater(before: WriteReport, report: WriteReport): boolean {
  if (before.version !== report.version) return before.version > report.version;
  if (before.attempts !== report.attempts) return before.attempts > report.attempts;
  return STEPS[before.state] > STEPS[report.state];
}
