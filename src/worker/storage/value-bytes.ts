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
