/** The limits of docs/guide/limits.md. Each has its error where it is enforced. */
export const LIMITS = {
  /** Characters of an expanded URL. */
  urlLength: 16_384,
  /** Characters of a parameter that a check looks at. */
  checkedLength: 4_096,
  /** Milliseconds: the shortest interval of a poll. */
  pollInterval: 100,
  /** Loops of all pages of an origin together. */
  loops: 200,
  /** Loops of one session of a page. */
  sessionLoops: 100,
  /** Connections of one page. */
  sessions: 16,
  /** Invocations of one session that are under way. */
  calls: 5_000,
  /** Invocations that travel in one message. */
  batch: 5_000,
  /** Bytes of bodies, and characters of parameters and headers, in one message. */
  messageSize: 67_108_864,
  /** Settled invocations that `result(id)` still knows. */
  results: 1_000,
  /** Milliseconds that a call has when nothing else was said. */
  timeout: 30_000,
  /** Milliseconds after which a long-poll that was told nothing asks afresh: the watchdog. */
  longPollTimeout: 60_000,
} as const;

/** Milliseconds: a timer of more fires at once. */
export const LONGEST_TIMER: number = 2 ** 31 - 1;
