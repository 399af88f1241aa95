import { unreachable } from './unreachable.ts';

/** The change from one revision of a JSON body to the next. Plain data, since it travels in messages. */
export interface Patch {
  /** The path to the container whose members were compared, as keys from the root; [] is the root itself. */
  readonly path: readonly string[];
  /** JSON text of the body with `null` in the container's place; null where nothing around it has changed. */
  readonly envelope: string | null;
  /** Null where the container has not changed. */
  readonly change: ListChange | MapChange | null;
}

/**
 * The new list from front to back. `runs` holds pairs of `from` and `count`: so many members of the old list from index
 * `from` on, or, where `from` is -1, so many of the next `rows`, the text of a JSON array.
 */
export interface ListChange {
  readonly kind: 'list';
  readonly runs: readonly number[];
  readonly rows: string;
}

/**
 * The removed keys, and the text of a JSON object with the new and changed members. Changed members keep their place
 * and new ones follow: where that is not their order, the whole body is sent.
 */
export interface MapChange {
  readonly kind: 'map';
  readonly removed: readonly string[];
  readonly set: string;
}

/** The approximate bytes of a run's number in a message. */
const RUN_SIZE = 4;

/** The approximate size of a patch in a message, in bytes. */
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
