import { isPath, valueAt } from '../path.ts';

/** What of a store is bound: its model or status, or what lies at a dotted path in one of them. */
export type BindSource = 'model' | `model.${string}` | 'status' | `status.${string}`;

/** A source as it is read. */
export interface Source {
  readonly kind: 'model' | 'status';
  /** Into the model or the status; null for the whole of it. */
  readonly path: string | null;
}

/** @throws TypeError where a store has no such property, or the path is none. */
export function parseSource(source: string): Source {
  const [, kind = '', path = null] = /^([^.]*)(?:\.(.*))?$/s.exec(source) ?? [];
  if (kind !== 'model' && kind !== 'status')
    throw new TypeError(
      `A store has no property '${source}' to bind, only 'model', 'status' and their paths`,
    );
  if (path !== null && !isPath(path)) throw new TypeError(`'${source}' is no path into a store's ${kind}`);
  return { kind, path };
}

/** What is to be assigned; null where the path leads nowhere. */
export function read(path: string | null, whole: unknown): unknown {
  return path === null ? whole : (valueAt(whole, path) ?? null);
}
