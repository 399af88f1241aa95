/** Which rows of a list, and in which order. */
export interface Arrangement {
  /** Null for all. */
  readonly keep: ((row: unknown) => boolean) | null;
  /** Below 0 where the first comes first; null for the order in which they are. */
  readonly compare: ((one: unknown, other: unknown) => number) | null;
  /** The same for what arranges alike. */
  readonly key: string;
}
