import { essenceOf, headerValue, isJsonType } from '../../shared/header.ts';
import type { Invocation, Params, ParamValue, RequestBody } from '../../shared/invocation.ts';
import { pointed } from '../../shared/part.ts';
import type { GivenId } from '../../shared/outbox.ts';
import type { Answer } from '../../shared/outcome.ts';

// A temporary id stands for the id of what a write creates until its server has named it. `src/main/resource/ticket.ts` makes them.

const BEGINS = 'temporary-';
const ID = `${BEGINS}[\\da-f]{32}`;
const WHOLE = new RegExp(`^${ID}$`);

/** A whole string of JSON, though no part of one: its first quote is not escaped. A colon after it makes it a member's name. */
const IN_JSON = new RegExp(`(^|[^\\\\])"(${ID})"(\\s*:)?`, 'g');

/** The whole value of a field. */
const IN_FORM = new RegExp(`=(${ID})(?=&|$)`, 'g');

/** The whole content of a part of RFC 7578. */
const IN_PARTS = new RegExp(`\\r\\n\\r\\n(${ID})(?=\\r\\n--)`, 'g');

/** Names that servers have given by now; undefined for one that has none. */
export type Names = (temporaryId: string) => GivenId | undefined;

/** What names things by their temporary ids. */
interface Naming {
  readonly invocation: Invocation;
  /** The temporary ids that it names. */
  readonly uses: readonly string[];
}

/** True where it may name a temporary id: most calls name none, and are not looked into. */
export function mayName({ params, body }: Invocation): boolean {
  return 'text' in body ? body.text.includes(BEGINS) || isAmong(params) : isAmong(params);
}

function isAmong(params: Params): boolean {
  return params.some(([, value]) => JSON.stringify(value).includes(BEGINS));
}

/** The temporary ids that a write names in its params and its body, each once. */
export function temporaryIdsIn(invocation: Invocation, body: RequestBody): string[] {
  const found = new Set<string>();
  const note = (temporaryId: string): undefined => {
    found.add(temporaryId);
  };
  renamedParams(invocation.params, note);
  renamedBody(invocation, body, note);
  return [...found];
}

/** It names by their ids what servers have named by now. */
export function renamed<W extends Naming>(
  write: W,
  body: RequestBody,
  names: Names,
): { readonly write: W; readonly body: RequestBody } {
  const { invocation, uses } = write;
  const params = renamedParams(invocation.params, names);
  const left = uses.filter((temporaryId) => names(temporaryId) === undefined);
  return {
    write: { ...write, invocation: { ...invocation, params }, uses: left },
    body: renamedBody(invocation, body, names),
  };
}

/** The same with the ids that servers have given by now. */
export function renamedInvocation(invocation: Invocation, names: Names): Invocation {
  const { params, body } = invocation;
  return { ...invocation, params: renamedParams(params, names), body: renamedBody(invocation, body, names) };
}

/** The same params where none of them has a name. */
function renamedParams(params: Params, names: Names): Params {
  const given = params.map(([name, value]) => [name, renamedValue(value, names)] as const);
  return given.some(([, value], index) => value !== params[index]?.[1]) ? given : params;
}

function renamedValue(value: ParamValue, names: Names): ParamValue {
  const named = (text: string): string => (WHOLE.test(text) ? String(names(text) ?? text) : text);
  if (typeof value === 'string') return named(value);
  if ('pairs' in value) {
    const pairs = value.pairs.map(([key, text]) => [key, named(text)] as const);
    return pairs.every(([, text], index) => text === value.pairs[index]?.[1]) ? value : { pairs };
  }
  const all = value.map(named);
  return all.every((text, index) => text === value[index]) ? value : all;
}

/** The same body where none of its strings has a name. Bytes other than those of a form are not looked into. */
function renamedBody({ headers }: Invocation, body: RequestBody, names: Names): RequestBody {
  const type = headerValue(headers, 'content-type');
  switch (body.kind) {
    case 'none':
      return body;
    case 'bytes':
      return essenceOf(type) === 'multipart/form-data' ? renamedParts(body, names) : body;
    default: {
      const text = isJsonType(type) ? renamedJson(body.text, names) : renamedForm(body.text, names);
      return text === body.text ? body : { ...body, text };
    }
  }
}

/** Of the text, so that no number of it is rounded. */
function renamedJson(text: string, names: Names): string {
  return text.replace(IN_JSON, (whole, before: string, temporaryId: string, colon?: string) => {
    const id = names(temporaryId);
    if (id === undefined) return whole;
    return before + (colon === undefined ? JSON.stringify(id) : JSON.stringify(String(id)) + colon);
  });
}

function renamedForm(text: string, names: Names): string {
  return text.replace(IN_FORM, (whole, temporaryId: string) => {
    const id = names(temporaryId);
    return id === undefined ? whole : `=${encodeURIComponent(String(id))}`;
  });
}

/** Every byte is one character of the text, so that places in one are places in the other. */
function renamedParts(body: Extract<RequestBody, { readonly kind: 'bytes' }>, names: Names): RequestBody {
  const text = new TextDecoder('windows-1252').decode(body.bytes);
  const kept: Uint8Array[] = [];
  let end = 0;
  for (const { index, 0: found, 1: temporaryId = '' } of text.matchAll(IN_PARTS)) {
    const id = names(temporaryId);
    if (id === undefined) continue;
    const next = index + found.length;
    kept.push(new Uint8Array(body.bytes, end, next - temporaryId.length - end), utf8.encode(String(id)));
    end = next;
  }
  return end === 0 ? body : { kind: 'bytes', bytes: joined([...kept, new Uint8Array(body.bytes, end)]) };
}

const utf8 = new TextEncoder();

function joined(parts: readonly Uint8Array[]): ArrayBuffer {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.buffer;
}

/** What a server has named the thing that a write has created; null where its answer has no name there. */
export function givenIn(answer: Answer<unknown> | null, pointer: string): GivenId | null {
  const body: { readonly value?: unknown } = Object(answer?.body);
  const id = pointed(body.value, pointer);
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : null;
}
