/**
 * The answer of a storage that was asked for something. It is `unknown` where the storage failed or was too late: what
 * is there may not be overwritten, pruned or begun anew then, for it may be there still (design section 5.13).
 */
export type Lookup<T> =
  | { readonly kind: 'found'; readonly value: T }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown'; readonly error: unknown };

export const ABSENT: Lookup<never> = { kind: 'absent' };

/** Reads; null stands for nothing, and a rejection for not knowing. Never rejects. */
export async function lookUp<T>(read: () => Promise<T | null>): Promise<Lookup<T>> {
  try {
    const value = await read();
    return value === null ? ABSENT : { kind: 'found', value };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** For reading a list: an empty one is absent. Never rejects. */
export function lookUpAll<T>(read: () => Promise<readonly T[]>): Promise<Lookup<readonly T[]>> {
  return lookUp(async () => {
    const all = await read();
    return all.length > 0 ? all : null;
  });
}

/** What was found; null where there is nothing, and where that is not known. */
export function foundIn<T>(lookup: Lookup<T>): T | null {
  return lookup.kind === 'found' ? lookup.value : null;
}
