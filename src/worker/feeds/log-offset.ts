/** Where a page is in a feed. */
export interface FollowerProgress {
  /** The log that the numbers are of. */
  log: string;
  /** The number of the last entry that is on its way. */
  sent: number;
  /** The number of the last that the page has. */
  acknowledged: number;
  /** Whether it begins here: what is gone of what comes next has never been its own. */
  isBeginning: boolean;
  /** Whether the page knows where it is, so that it can say so to another life of the worker. */
  isKnown: boolean;
  isPaused: boolean;
  isSending: boolean;
}

/** The place after entry `n`. */
export function after(n: number, log: string, isPaused: boolean): FollowerProgress {
  return { log, sent: n, acknowledged: n, isBeginning: false, isKnown: false, isPaused, isSending: false };
}

/** Before whatever is still there after entry `n`. */
export function beginning(n: number, log: string, held: boolean): FollowerProgress {
  return { ...after(n, log, held), isBeginning: true };
}

/** Before the oldest that is there, whichever that is; in a log that has none yet, before the first. */
export function oldest(log: string, last: number, held: boolean): FollowerProgress {
  return last === 0 ? after(0, log, held) : beginning(0, log, held);
}
