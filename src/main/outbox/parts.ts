import { essenceOf } from '../../shared/header.ts';

/** The objects that were forms: what is put into one is a text. */
const FORMS = new WeakSet<object>();

export function asForm<Fields extends object>(fields: Fields): Fields {
  FORMS.add(fields);
  return fields;
}

export function isForm(data: unknown): data is object {
  return typeof data === 'object' && data !== null && FORMS.has(data);
}

/** A form with files as an object: texts and Files by their names, a list where a name repeats; null for what is none (RFC 7578). */
export function formOf(bytes: ArrayBuffer, contentType: string | null): Record<string, unknown> | null {
  if (contentType === null || essenceOf(contentType) !== 'multipart/form-data') return null;
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2]?.trim();
  if (mark === undefined) return null;
  const form: Record<string, unknown> = {};
  const all = new Uint8Array(bytes);
  const ends = [...placesOf(all, encode(`--${mark}`))];
  for (const [index, end] of ends.slice(1).entries()) {
    // Between the boundary before, with its line's end, and the line's end before this one.
    const begin = (ends[index] ?? 0) + mark.length + 4;
    const part = partOf(all.subarray(begin, end - 2));
    if (!part) return null;
    add(form, part.name, part.value);
  }
  return ends.length > 0 ? asForm(form) : null;
}

function partOf(part: Uint8Array<ArrayBuffer>): { readonly name: string; readonly value: unknown } | null {
  const [begin] = placesOf(part, encode('\r\n\r\n'));
  if (begin === undefined) return null;
  const head = new TextDecoder().decode(part.subarray(0, begin));
  const name = /[;\s]name="([^"]*)"/i.exec(head)?.[1];
  if (name === undefined) return null;
  const body = part.subarray(begin + 4);
  const file = /[;\s]filename="([^"]*)"/i.exec(head)?.[1];
  const type = /^content-type:\s*(.+)$/im.exec(head)?.[1]?.trim() ?? '';
  // All of it is the user's.
  const text = new TextDecoder('utf-8', { ignoreBOM: true });
  const value = file === undefined ? text.decode(body) : new File([body], plain(file), { type });
  return { name: plain(name), value };
}

/** Browsers escape what would end a name (HTML, multipart/form-data encoding). */
function plain(name: string): string {
  return name.replaceAll('%0A', '\n').replaceAll('%0D', '\r').replaceAll('%22', '"');
}

function add(form: Record<string, unknown>, name: string, value: unknown): void {
  const known = Object.hasOwn(form, name) ? form[name] : undefined;
  const next = known === undefined ? value : [known, value].flat();
  Object.defineProperty(form, name, { value: next, configurable: true, enumerable: true, writable: true });
}

function* placesOf(bytes: Uint8Array, sought: Uint8Array): Generator<number> {
  const [first = 0] = sought;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1))
    if (sought.every((byte, index) => bytes[at + index] === byte)) yield at;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
