/** A clock that goes back by more than this was set, and by less may be an answer that was late. */
const SET_BACK = 3_600_000;

/**
 * The name of a new line of revisions: when it began, in milliseconds of the epoch, so that lines can be put in order,
 * and something unguessable, so that no two are taken for one.
 */
export function newLine(now: number, unique: string): string {
  return `${now}-${unique}`;
}

/** Whether a line began after another; one that seems hours older comes from a clock that was set back. */
export function isYoungerLine(line: string, other: string): boolean {
  const [begun, before] = [beginning(line), beginning(other)];
  return begun >= before || before - begun > SET_BACK;
}

function beginning(line: string): number {
  return Number(line.slice(0, line.indexOf('-')));
}
