/**
 * The answer of a storage. It is `unknown` where the storage failed or was late: what may still be there must not be
 * overwritten, pruned or begun anew then.
 */
export type Lookup<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly error: unknown };

export const ABSENT: Lookup<never> = { kind: 'absent' };

/** Reads. Null means absent, and a rejection means unknown. Never rejects. */
export async function lookUp<T>(read: () => Promise<T | null>): Promise<Lookup<T>> {
  try {
    const value = await read();
    return value === null ? ABSENT : { kind: 'found', value };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** Reads a list: an empty one is absent. Never rejects. */
export function lookUpAll<T>(read: () => Promise<readonly T[]>): Promise<Lookup<readonly T[]>> {
  return lookUp(async () => {
    const all = await read();
    return all.length > 0 ? all : null;
  });
}

/** The value that was found; null where there is none, and where that is unknown. */
export function foundIn<T>(lookup: Lookup<T>): T | null {
  return lookup.kind === 'found' ? lookup.value : null;
}

export async function orElse<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    return otherwise;
  }
}
