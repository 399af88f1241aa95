/** Members that name a row, in this order. */
export const NAMES: readonly string[] = ['id', '_id', 'key'];

/** The name of a row; undefined where it has none. A number and its text are different names. */
export function nameOf(row: unknown): unknown {
  if (!isNode(row)) return undefined;
  for (const key of NAMES) {
    const name = own(row, key);
    if (typeof name === 'string' || typeof name === 'number') return name;
  }
  return undefined;
}

export function own(node: object | null, key: string): unknown {
  return node !== null && Object.hasOwn(node, key) ? Reflect.get(node, key) : undefined;
}

export function isNode(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** True for an object as JSON makes it; false for a Blob, a date or an instance of a class. */
export function isPlainMap(node: object): boolean {
  return Object.getPrototypeOf(node) === Object.prototype;
}

export interface Members {
  [key: string]: unknown;
}

export function isMap(value: unknown): value is Members {
  return isNode(value) && !Array.isArray(value);
}

/** The patch was made for another revision; `detail` says how that shows. */
export function misfit(detail: string): never {
  throw new TypeError(`The patch does not fit: ${detail}`);
}
