import type { Cipher } from './cipher.ts';
import type { StoreName } from './transaction.ts';
import { bytesOfValue, valueOfBytes } from './value-bytes.ts';

/** The stores whose values are objects and are encrypted. `meta` has numbers, a salt and the keys. */
export type SealedStoreName = Exclude<StoreName, 'meta' | 'bodies'>;

/** Members that are not encrypted: keys, and what the database sorts and counts by. */
const OUTSIDE: Readonly<Record<SealedStoreName, readonly string[]>> = {
  responses: ['key', 'usedAt', 'size', 'counted', 'excess'],
  patches: ['key', 'n'],
  loops: ['key'],
  feeds: ['key', 'offset'],
};

/** The value as the database has it: outside members as they are, all others encrypted with those as additional data. */
export async function sealedValue(cipher: Cipher, name: SealedStoreName, value: unknown): Promise<object> {
  const [outside, inside] = split(value, OUTSIDE[name]);
  return { ...outside, ...(await cipher.seal(bytesOfValue(inside), aboutOf(name, outside))) };
}

/** The value as it was; its outside members alone if it is damaged, or was not encrypted with these keys. */
export async function openedValue(cipher: Cipher, name: SealedStoreName, value: unknown): Promise<unknown> {
  const [outside] = split(value, OUTSIDE[name]);
  const bytes = await cipher.open(value, aboutOf(name, outside));
  return bytes ? { ...outside, ...Object(valueOfBytes(bytes)) } : outside;
}

/** Bytes of a body, which are encrypted as they are. */
export async function sealedBody(
  cipher: Cipher,
  key: IDBValidKey | undefined,
  body: unknown,
): Promise<object> {
  if (!(body instanceof ArrayBuffer)) throw new TypeError('A body is stored as an ArrayBuffer');
  return cipher.seal(body, aboutOf('bodies', { key }));
}

/** Null if it is damaged. */
export function openedBody(
  cipher: Cipher,
  key: IDBValidKey | null,
  value: unknown,
): Promise<ArrayBuffer | null> {
  return cipher.open(value, aboutOf('bodies', { key }));
}

function aboutOf(name: StoreName, outside: object): string {
  return `${name} ${JSON.stringify(outside)}`;
}

/** Those members, in that order, and the others. */
function split(value: unknown, names: readonly string[]): [outside: object, inside: object] {
  const members = new Map<string, unknown>(Object.entries(Object(value)));
  const outside = names.flatMap((name) => (members.has(name) ? [[name, members.get(name)] as const] : []));
  const inside = [...members].filter(([name]) => !names.includes(name));
  return [Object.fromEntries(outside), Object.fromEntries(inside)];
}
