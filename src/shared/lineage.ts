import type { Revision } from './outcome.ts';

/**
 * The name of a new lineage: its ordinal, which orders lineages, and something unguessable, so that no two have the
 * same name. The worker gives a new lineage a higher ordinal than any that it or its pages know
 * (`worker/cache/change.ts`).
 */
export function newLineage(ordinal: number, unique: string): string {
  return `${ordinal}-${unique}`;
}

/** The ordinal of a lineage; 0 for a name without one. */
export function ordinalOf(line: string): number {
  return Number(/^\d+/.exec(line)?.[0] ?? 0);
}

/** True where `revision` is newer than `other`: within a lineage by number, else by the younger lineage. */
export function isNewer(revision: Revision, other: Revision): boolean {
  return revision.lineage === other.lineage
    ? revision.number > other.number
    : isYoungerLineage(revision.lineage, other.lineage);
}

/** True where a lineage began after another. Two that began at once have the same order everywhere. */
export function isYoungerLineage(line: string, other: string): boolean {
  const [begun, before] = [ordinalOf(line), ordinalOf(other)];
  return begun === before ? line > other : begun > before;
}
