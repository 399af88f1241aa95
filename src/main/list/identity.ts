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

/** The identities of rows that are rendered together; a row that comes again gets another one for its place. */
export function distinctIdentities(rows: readonly unknown[]): unknown[] {
  const seen = new Map<unknown, number>();
  return rows.map((row) => {
    const identity = identityOf(row);
    const before = seen.get(identity) ?? 0;
    seen.set(identity, before + 1);
    return before === 0 ? identity : `${String(identity)} (${before})`;
  });
}
