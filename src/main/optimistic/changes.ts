import type { Params } from '../../shared/invocation.ts';
import { paramsOf } from '../outbox/entry.ts';
import { told } from '../queries/view.ts';
import { Layered } from './layered.ts';
import type { Change } from './layered.ts';
import type { Pending, PendingWatcher, PendingWrites } from './pending-writes.ts';
import type { OptimisticWrite, Optimism } from './write.ts';

export interface OptimisticChangesPorts {
  /** The pending writes of the connection; null where no action of the resource changes answers of others. */
  readonly pending: () => PendingWrites | null;
  /** True where any action changes them before it is done. */
  readonly isOptimistic: () => boolean;
  /** True where a success of the action makes answers of the target stale. */
  readonly invalidates: (action: string, target: string) => boolean;
  /** The name of the resource, as writes have it. */
  readonly resource: () => string;
  /** How each action that changes answers of the target does that. */
  readonly optimismFor: (target: string) => ReadonlyMap<string, Optimism>;
  /** Where in the answer of an action the id of what it creates stands; undefined where it does not say. */
  readonly creates: (action: string) => string | undefined;
  /** A write that changes answers of this action is done. */
  readonly done: (target: string) => void;
}

export interface OptimisticReader {
  readonly layered: Layered;
  /** What it shows may have changed. */
  readonly changed: () => void;
  /** What was asked for before that time, in milliseconds of the epoch, is stale; left out where nothing is asked for because of it. */
  readonly outdated?: (at: number) => void;
}

/** How the pending writes change the answers of one resource, by the actions that ask for these. */
export class OptimisticChanges {
  readonly #ports: OptimisticChangesPorts;
  readonly #readers = new Map<string, Set<OptimisticReader>>();
  /** Those of each target, of these pending writes. */
  readonly #known = new Map<
    string,
    { readonly of: readonly Pending[]; readonly changes: readonly Change[] }
  >();
  /** Writes as the functions of the app get them: the same objects for the same writes. */
  readonly #completed = new WeakMap<OptimisticWrite, OptimisticWrite>();
  readonly #watcher: PendingWatcher;
  #followed: PendingWrites | null = null;
  #leave: () => void = () => {};

  constructor(ports: OptimisticChangesPorts) {
    this.#ports = ports;
    this.#watcher = {
      changed: (resource, actions, isDone, behindAt) => {
        if (resource === ports.resource()) this.#tell(actions, isDone, behindAt);
      },
      done: (resource, action, at) => {
        if (resource === ports.resource()) this.#outdate(action, at);
      },
      isShowing: () => ports.isOptimistic(),
      oldest: () => this.#oldest,
    };
  }

  /** `asked` returns the parameters of the present answer. */
  layered(target: string, asked: () => Params): Layered {
    return new Layered(
      () => this.#of(target),
      report,
      () => paramsOf(asked()),
    );
  }

  /** Tells the reader when answers of that action change; the returned function ends that. */
  follow(target: string, reader: OptimisticReader): () => void {
    const readers = this.#readers.get(target) ?? new Set();
    this.#readers.set(target, readers);
    const entry = { ...reader };
    readers.add(entry);
    this.#follow();
    return () => void readers.delete(entry);
  }

  /** Actions were declared, perhaps in the place of others. */
  renew(): void {
    this.#known.clear();
    if (this.#readers.size === 0) return;
    // Those that only invalidated before may show what waits now.
    this.#leave();
    this.#followed = null;
    this.#follow();
    for (const readers of this.#readers.values()) tellAll(readers);
  }

  dispose(): void {
    this.#leave();
    this.#readers.clear();
  }

  #of(target: string): readonly Change[] {
    const optimisms = this.#ports.optimismFor(target);
    const pending = optimisms.size === 0 ? null : this.#follow();
    if (!pending) return NONE;
    const known = this.#known.get(target);
    const { all } = pending;
    if (known?.of === all) return known.changes;
    const resource = this.#ports.resource();
    const changes = all.flatMap((each) => {
      const apply = each.resource === resource ? optimisms.get(each.write.action) : undefined;
      return apply ? [{ pending: each, apply, write: this.#complete(each.write) }] : [];
    });
    this.#known.set(target, { of: all, changes });
    return changes;
  }

  /** The write with what its action says. What pages are told of it does not have that. */
  #complete(write: OptimisticWrite): OptimisticWrite {
    const creates = write.temporaryId === null ? undefined : this.#ports.creates(write.action);
    if (creates === undefined) return write;
    const known = this.#completed.get(write);
    if (known?.creates === creates) return known;
    const completed = { ...write, creates };
    this.#completed.set(write, completed);
    return completed;
  }

  #follow(): PendingWrites | null {
    const pending = this.#ports.pending();
    if (pending && pending !== this.#followed) {
      this.#leave();
      this.#followed = pending;
      this.#leave = pending.watch(this.#watcher);
    }
    return pending;
  }

  get #oldest(): number {
    // Answers that no write changes lack none, however old they are.
    const all = [...this.#readers].flatMap(([target, readers]) =>
      this.#ports.optimismFor(target).size > 0 ? [...readers] : [],
    );
    return all.reduce((oldest, { layered }) => Math.min(oldest, layered.asOf), Infinity);
  }

  #outdate(action: string, at: number): void {
    for (const [target, readers] of this.#readers) {
      if (!this.#ports.invalidates(action, target)) continue;
      const all = [...readers];
      for (const { outdated } of all) if (outdated) told(() => outdated(at));
    }
  }

  #tell(actions: ReadonlySet<string>, isDone: boolean, behindAt: number | null): void {
    for (const [target, readers] of this.#readers) {
      const optimisms = this.#ports.optimismFor(target);
      if (![...actions].some((action) => optimisms.has(action))) continue;
      if (behindAt !== null) for (const { layered } of readers) layered.outdate(behindAt);
      tellAll(readers);
      if (isDone) told(() => this.#ports.done(target));
    }
  }
}

/** Readers call what belongs to the app: what one throws keeps nothing from the others. */
function tellAll(readers: ReadonlySet<OptimisticReader>): void {
  const all = [...readers];
  for (const reader of all) told(() => reader.changed());
}

/** An error of the app's is reported as uncaught, as with events. */
function report(error: unknown): void {
  told(() => {
    throw error;
  });
}

const NONE: readonly Change[] = [];
