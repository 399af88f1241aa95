import type { Revision } from './outcome.ts';

/** A clock that goes back by more than this was set, and by less may be an answer that was late. */
const SET_BACK = 3_600_000;

/**
 * The name of a new line of revisions: when it began, in milliseconds of the epoch, so that lines can be put in order,
 * and something unguessable, so that no two are taken for one.
 */
export function newLine(now: number, unique: string): string {
  return `${now}-${unique}`;
}

/** The name of a new line that is younger than another, whatever the clock says meanwhile; null for no other. */
export function lineAfter(other: string | null, now: number, unique: string): string {
  return newLine(other === null ? now : Math.max(now, beginning(other) + 1), unique);
}

/** Whether a revision is newer than another: of one line the higher number, of two lines the younger. */
export function isNewer(revision: Revision, other: Revision): boolean {
  return revision.line === other.line ? revision.n > other.n : isYoungerLine(revision.line, other.line);
}

/** Whether a line began after another; one that seems hours older comes from a clock that was set back. */
export function isYoungerLine(line: string, other: string): boolean {
  const [begun, before] = [beginning(line), beginning(other)];
  return begun >= before || before - begun > SET_BACK;
}

function beginning(line: string): number {
  return Number(line.slice(0, line.indexOf('-')));
}
