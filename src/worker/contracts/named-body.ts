import { essenceOf, headerValue, isJsonType } from '../../shared/header.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { TEMPORARY_MARK } from '../../shared/outbox.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { isTemporaryId, LENGTH, TEMPORARY_ID } from './temporary-id.ts';
import type { Names } from './temporary-id.ts';

// Where a body names things by temporary ids: strings of JSON, and fields of forms. Nothing else is looked at or changed.

/**
 * A whole string of JSON, though no part of one: its first quote is not escaped. A colon after it makes it a member's name, and is
 * left to what follows: that may be another one.
 */
const IN_JSON = new RegExp(`(^|[^\\\\])"(${TEMPORARY_ID})"(?=\\s*(:)?)`, 'g');

/** The whole value of a field. */
const IN_FORM = new RegExp(`(^|&)([^=&]*=)(${TEMPORARY_ID})(?=&|$)`, 'g');

/** The headers of a part of RFC 7578 that is a field: a file has a file name, too. */
const OF_FIELD = /^content-disposition:\s*form-data\s*;\s*name=(?:"[^"]*"|[^\s;"]+)\s*$/im;

/** Most bytes of the headers of a field that is looked into. */
const LONGEST_HEADERS = 8_192;

const utf8 = new TextEncoder();

/** True where it may name something: most bodies name nothing, and are not looked into. */
export function hasMark(body: RequestBody): boolean {
  switch (body.kind) {
    case 'none':
      return false;
    case 'bytes':
      return nextMark(new Uint8Array(body.bytes), 0) !== null;
    default:
      return body.text.includes(TEMPORARY_MARK);
  }
}

/** The same body where none of its strings has a name. */
export function renamedBody({ headers }: Invocation, body: RequestBody, names: Names): RequestBody {
  if (!hasMark(body)) return body;
  const type = headerValue(headers, 'content-type');
  switch (body.kind) {
    case 'none':
      return body;
    case 'query':
      return withText(body, renamedForm(body.text, names));
    case 'text':
      return withText(body, renamedText(body.text, type, names));
    case 'bytes': {
      const bytes = renamedBytes(body.bytes, type, names);
      return bytes === body.bytes ? body : { kind: 'bytes', bytes };
    }
    default:
      return unreachable(body);
  }
}

function withText<Body extends { readonly text: string }>(body: Body, text: string): Body {
  return text === body.text ? body : { ...body, text };
}

function renamedText(text: string, type: string | null, names: Names): string {
  if (isJsonType(type)) return renamedJson(text, names);
  return essenceOf(type) === 'application/x-www-form-urlencoded' ? renamedForm(text, names) : text;
}

/** Of the text, so that no number of it is rounded. */
function renamedJson(text: string, names: Names): string {
  return text.replace(IN_JSON, (whole, before: string, temporaryId: string, colon?: string) => {
    const id = names(temporaryId);
    if (id === undefined) return whole;
    return before + JSON.stringify(colon === undefined ? id : String(id));
  });
}

function renamedForm(text: string, names: Names): string {
  return text.replace(IN_FORM, (whole, before: string, name: string, temporaryId: string) => {
    const id = names(temporaryId);
    return id === undefined ? whole : before + name + encodeURIComponent(String(id));
  });
}

/** The same bytes where nothing in them has a name. */
function renamedBytes(bytes: ArrayBuffer, type: string | null, names: Names): ArrayBuffer {
  if (essenceOf(type) === 'multipart/form-data') return renamedFields(bytes, type ?? '', names);
  const text = textOf(bytes);
  const renamed = text === null ? null : renamedText(text, type, names);
  return renamed === null || renamed === text ? bytes : utf8.encode(renamed).buffer;
}

/** Null where it is no text. */
function textOf(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Files may be large: nothing but what is around a mark is made a text. */
function renamedFields(bytes: ArrayBuffer, type: string, names: Names): ArrayBuffer {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(type) ?? [];
  const delimiter = `--${quoted ?? bare ?? ''}`;
  const all = new Uint8Array(bytes);
  const kept: Uint8Array[] = [];
  let end = 0;
  for (let at = nextMark(all, 0); at !== null; at = nextMark(all, at + 1)) {
    const temporaryId = latin1(all, at, at + LENGTH);
    const id = isTemporaryId(temporaryId) && isField(all, at, delimiter) ? names(temporaryId) : undefined;
    if (id === undefined) continue;
    kept.push(all.subarray(end, at), utf8.encode(String(id)));
    end = at + LENGTH;
  }
  return end === 0 ? bytes : joined([...kept, all.subarray(end)]);
}

/** True where the temporary id at that place is the whole content of a field. */
function isField(all: Uint8Array, at: number, delimiter: string): boolean {
  const end = `\r\n${delimiter}`;
  if (latin1(all, at + LENGTH, at + LENGTH + end.length) !== end) return false;
  const before = latin1(all, Math.max(0, at - LONGEST_HEADERS), at);
  const headers = before.slice(before.lastIndexOf(delimiter) + delimiter.length);
  return headers.indexOf('\r\n\r\n') === headers.length - 4 && OF_FIELD.test(headers);
}

/** Every byte is one character. */
function latin1(all: Uint8Array, start: number, end: number): string {
  return new TextDecoder('windows-1252').decode(all.subarray(start, end));
}

const MARK_BYTES = utf8.encode(TEMPORARY_MARK);
const LAST = MARK_BYTES.length - 1;
const DASH = 45;

/** Where the next mark begins; null where there is none. Its dash is looked for, since it is rarer than its letters. */
function nextMark(all: Uint8Array, from: number): number | null {
  for (let dash = all.indexOf(DASH, from + LAST); dash !== -1; dash = all.indexOf(DASH, dash + 1))
    if (MARK_BYTES.every((byte, index) => all[dash - LAST + index] === byte)) return dash - LAST;
  return null;
}

function joined(parts: readonly Uint8Array[]): ArrayBuffer {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.buffer;
}
