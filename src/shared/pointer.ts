/** JSON Pointer, RFC 6901. */

/** True for a well-formed pointer: empty for the whole, or a path of names (section 3). */
export function isPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}

/** The names of a pointer's path (section 4); none where it names the whole. */
export function namesIn(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map(unescaped);
}

/** The value that a pointer leads to; undefined where it leads nowhere. Finds only own members, of any name. */
export function pointed(value: unknown, pointer: string): unknown {
  return namesIn(pointer).reduce(member, value);
}

/** The index that a name means in a list; null where it is not an index: `-`, `01`, `length`. */
export function rowOf(name: string): number | null {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) ? Number(name) : null;
}

/** In this order, so that `~01` becomes `~1`. */
function unescaped(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && rowOf(name) === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
