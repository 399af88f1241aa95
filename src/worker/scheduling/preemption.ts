import { LIMITS } from '../../shared/limits.ts';

/** A long-poll that is out. */
export interface PermitHolder {
  /** Milliseconds of the epoch. */
  readonly since: number;
  /** Whether it has been told to come back. */
  readonly cut: boolean;
}

/**
 * Whom to cut next for those who wait, and when: of those that are out, oldest first, the one that has been so longest.
 * Null where as many are on their way back as wait.
 */
export function nextPreemption<T extends PermitHolder>(
  out: readonly T[],
  waiting: number,
): { readonly longest: T; readonly at: number } | null {
  const coming = out.filter(({ cut }) => cut).length;
  const longest = out.find(({ cut }) => !cut);
  if (!longest || coming >= waiting) return null;
  return { longest, at: longest.since + LIMITS.longPollSlice };
}
