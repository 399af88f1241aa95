import { unreachable } from './unreachable.ts';

/** What makes the next revision of a JSON body of the one before. Plain data, for it travels in messages. */
export interface Patch {
  /** Where the container lies whose members were compared, as keys from the root; [] is the root itself. */
  readonly path: readonly string[];
  /** JSON text of the body with `null` in the container's place; null where nothing around it has changed. */
  readonly envelope: string | null;
  /** Null where the container is as before. */
  readonly change: ListChange | MapChange | null;
}

/**
 * The new list from front to back. `runs` holds pairs of `from` and `count`: that many members of the old list from
 * index `from`, or, where `from` is -1, the next of `rows`, a JSON array's text.
 */
export interface ListChange {
  readonly kind: 'list';
  readonly runs: readonly number[];
  readonly rows: string;
}

/**
 * The keys that went, and a JSON object's text of those that came or changed. Those that changed stay where they were, and
 * those that came follow: where that is not their order, the whole is sent.
 */
export interface MapChange {
  readonly kind: 'map';
  readonly removed: readonly string[];
  readonly set: string;
}

/** Bytes of a number of a run in a message, about. */
const RUN_SIZE = 4;

/** What a patch takes in a message, about. */
export function sizeOfPatch({ envelope, change }: Patch): number {
  const around = envelope?.length ?? 0;
  switch (change?.kind) {
    case undefined:
      return around;
    case 'list':
      return around + change.rows.length + change.runs.length * RUN_SIZE;
    case 'map':
      return around + change.set.length + change.removed.reduce((sum, name) => sum + name.length, 0);
    default:
      return unreachable(change);
  }
}
