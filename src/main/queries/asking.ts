/**
 * What may make a query ask: somebody begins to watch it (`mount`), the page is shown again (`focus`), the network is
 * back (`online`), or the page goes on with another identity.
 */
export type Occasion = 'mount' | 'focus' | 'online' | 'identity';

/** Occasions on which a query that has an answer asks again. */
export interface RefreshOn {
  /** The page is shown again (default true). */
  readonly focus?: boolean;
  /** The network is back (default true). */
  readonly online?: boolean;
  /** Somebody begins to watch (default true). */
  readonly mount?: boolean;
}

export interface AskingRule {
  readonly enabled: boolean;
  /** Milliseconds for which an answer is not asked for again. */
  readonly staleTime: number;
  readonly refreshOn: RefreshOn;
}

/** What the page knows of the query at that moment. */
export interface Standing {
  readonly hasData: boolean;
  readonly isFetching: boolean;
  /** When the server gave the newest answer, in milliseconds of the epoch; null where there is none. */
  readonly answeredAt: number | null;
}

/** True where a query asks on this occasion. The worker then decides by HTTP's rules whether a request goes out. */
export function isWorthAsking(
  occasion: Occasion,
  { enabled, staleTime, refreshOn }: AskingRule,
  { hasData, isFetching, answeredAt }: Standing,
  now: number,
): boolean {
  if (!enabled || isFetching) return false;
  if (!hasData || answeredAt === null || occasion === 'identity') return true;
  return refreshOn[occasion] !== false && now - answeredAt >= staleTime;
}
