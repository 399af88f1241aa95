/** Which rows of a list, and in which order. */
export interface Arrangement {
  /** Null where all rows are kept. */
  readonly keep: ((row: unknown) => boolean) | null;
  /** Negative where `one` comes first; null where the order stays. */
  readonly compare: ((one: unknown, other: unknown) => number) | null;
  /** The same for arrangements with the same result. */
  readonly key: string;
}
