/** JSON Pointer, RFC 6901. */

/** Whether a text points somewhere: at the whole, or along a way of names (section 3). */
export function isPointer(text: string): boolean {
  return text === '' || (text.startsWith('/') && !/~(?![01])/.test(text));
}

/** The names on the way that a pointer leads (section 4); none where it is the whole. */
export function namesIn(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map(unescaped);
}

/** What a pointer leads to; undefined where it leads nowhere. Only what a value has itself is found, whatever its name. */
export function pointed(value: unknown, pointer: string): unknown {
  return namesIn(pointer).reduce(member, value);
}

/** Which row of a list a name means; null where it means none: `-`, `01`, `length`. */
export function rowOf(name: string): number | null {
  return /^(?:0|[1-9]\d{0,9})$/.test(name) ? Number(name) : null;
}

/** In this order, so that `~01` is `~1`. */
function unescaped(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && rowOf(name) === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
