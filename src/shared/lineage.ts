import type { Revision } from './outcome.ts';

/**
 * The name of a new line of revisions: its ordinal, by which lines are put in order, and something unguessable, so that
 * no two are taken for one. The worker sees to it that a new line has a higher ordinal than all that it or its pages
 * know (`worker/cache/change.ts`).
 */
export function newLineage(ordinal: number, unique: string): string {
  return `${ordinal}-${unique}`;
}

/** Where a line stands among all lines; 0 for a name that has no ordinal. */
export function ordinalOf(line: string): number {
  return Number(/^\d+/.exec(line)?.[0] ?? 0);
}

/** Whether a revision is newer than another: of one line the higher number, of two lines the younger. */
export function isNewer(revision: Revision, other: Revision): boolean {
  return revision.lineage === other.lineage
    ? revision.number > other.number
    : isYoungerLineage(revision.lineage, other.lineage);
}

/** Whether a line began after another. Two that began at once are put in an order that is everywhere the same. */
export function isYoungerLineage(line: string, other: string): boolean {
  const [begun, before] = [ordinalOf(line), ordinalOf(other)];
  return begun === before ? line > other : begun > before;
}
