import type { Cipher } from './cipher.ts';
import { OUTSIDE } from './transaction.ts';
import type { SealedStoreName, StoreName } from './transaction.ts';

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

/** Before a text that is none: the mark of what JSON has no word for, or that the text begins with this itself. */
const MARK = '\u0000';

/**
 * A value as bytes: the length of a JSON text in 4 bytes, that text, and the ArrayBuffers that the value has in it. What
 * JSON has no word for stands there as a marked text, so that the value comes back as IndexedDB would return it.
 * @throws TypeError for what is no plain data
 */
export function bytesOfValue(value: unknown): Uint8Array<ArrayBuffer> {
  const buffers: ArrayBuffer[] = [];
  const plain = marked(value, buffers);
  const sizes = buffers.map(({ byteLength }) => byteLength);
  const json = new TextEncoder().encode(JSON.stringify([plain, sizes]));
  const bytes = new Uint8Array(sizes.reduce((sum, size) => sum + size, 4 + json.byteLength));
  new DataView(bytes.buffer).setUint32(0, json.byteLength);
  bytes.set(json, 4);
  let offset = 4 + json.byteLength;
  for (const buffer of buffers) {
    bytes.set(new Uint8Array(buffer), offset);
    offset += buffer.byteLength;
  }
  return bytes;
}

export function valueOfBytes(bytes: ArrayBuffer): unknown {
  let offset = 4 + new DataView(bytes).getUint32(0);
  const json = new TextDecoder().decode(new Uint8Array(bytes, 4, offset - 4));
  const [plain, sizes]: [unknown, readonly number[]] = JSON.parse(json);
  const buffers = sizes.map((size) => bytes.slice(offset, (offset += size)));
  return unmarked(plain, buffers);
}

function marked(value: unknown, buffers: ArrayBuffer[]): unknown {
  switch (typeof value) {
    case 'string':
      return value.startsWith(MARK) ? `${MARK}text ${value}` : value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : `${MARK}number ${textOf(value)}`;
    case 'undefined':
      return `${MARK}undefined`;
    case 'boolean':
      return value;
    case 'object':
      return value === null ? null : markedObject(value, buffers);
    default:
      throw new TypeError(`A ${typeof value} could not be cloned`);
  }
}

function markedObject(value: object, buffers: ArrayBuffer[]): unknown {
  if (value instanceof ArrayBuffer) return `${MARK}bytes ${buffers.push(value) - 1}`;
  if (Array.isArray(value)) return value.map((each) => marked(each, buffers));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, marked(member, buffers)]));
}

function textOf(number: number): string {
  return Object.is(number, -0) ? '-0' : String(number);
}

function unmarked(value: unknown, buffers: readonly ArrayBuffer[]): unknown {
  if (typeof value === 'string') return value.startsWith(MARK) ? meant(value.slice(1), buffers) : value;
  if (Array.isArray(value)) return value.map((each) => unmarked(each, buffers));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, unmarked(member, buffers)]));
}

function meant(mark: string, buffers: readonly ArrayBuffer[]): unknown {
  const [, kind, rest = ''] = /^(\w+) ?(.*)$/s.exec(mark) ?? [];
  switch (kind) {
    case 'text':
      return rest;
    case 'number':
      return Number(rest);
    case 'bytes':
      return buffers[Number(rest)];
    default:
      return undefined;
  }
}
