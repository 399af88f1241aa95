/** What a row may be known by, whatever else of it changes: `id`, `_id` or `key`, the first that it has. */
interface Identified {
  readonly id?: unknown;
  readonly _id?: unknown;
  readonly key?: unknown;
}

/** What tells a row from all others, in this model and the next: an identity key of it, else the row itself. */
export function identityOf(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  const { id, _id, key }: Identified = row;
  return id ?? _id ?? key ?? row;
}

/** The keys of rows that are rendered together, each another: a row that comes again gets one for its place. */
export function distinctIdentities(rows: readonly unknown[]): unknown[] {
  const identities = rows.map(identityOf);
  // Another row may be called what a repeated one would be.
  const taken = new Set(identities);
  const seen = new Map<unknown, number>();
  return identities.map((identity) => {
    let times = seen.get(identity) ?? 0;
    let key = identity;
    for (; times > 0 && taken.has(key); times += 1) key = `${String(identity)} (${times})`;
    taken.add(key);
    seen.set(identity, Math.max(times, 1));
    return key;
  });
}
