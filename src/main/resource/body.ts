import type { Failure } from '../../shared/failure.ts';
import { isJsonType } from '../../shared/header.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import { describe, isPlainObject, textOf } from './params.ts';

/**
 * The data of a call (`requestData` of the classic interface), and how it is sent:
 *
 * - a plain object as `application/x-www-form-urlencoded`: lists repeat their key, dates are ISO, null and undefined
 *   go;
 * - under a JSON Content-Type as JSON: numbers, booleans, lists and objects of classes are allowed too, but nothing
 *   that JSON would write as `{}`, such as a promise or a map;
 * - a string unchanged, as `application/x-www-form-urlencoded` where no Content-Type is set;
 * - FormData, URLSearchParams, Blob, ArrayBuffer and its views as fetch would send them;
 * - with GET and HEAD, a plain object, string, URLSearchParams or FormData without files joins the query.
 *
 * Anything else throws a TypeError at the call.
 */
export type RequestData =
  | string
  | FormData
  | URLSearchParams
  | Blob
  | ArrayBuffer
  | ArrayBufferView
  | object
  | number
  | boolean
  | null
  | undefined;

/** A body that is ready to cross threads, and the Content-Type to use where none is set. */
export interface EncodedBody {
  readonly body: RequestBody;
  readonly contentType: string | null;
}

export const NO_BODY: EncodedBody = { body: { kind: 'none' }, contentType: null };

const FORM = 'application/x-www-form-urlencoded';

/**
 * Encodes the data of a call: as a form by default, as JSON where the Content-Type says so, everything else as fetch
 * would. Returns a promise only where the platform reads a Blob or a form with files.
 * @throws TypeError where the method or the type cannot carry the data.
 */
export function encodeBody(
  action: string,
  method: string,
  data: RequestData,
  contentType: string | null,
): EncodedBody | Promise<EncodedBody> {
  if (data === undefined || data === null) return NO_BODY;
  if (method === 'GET' || method === 'HEAD') return query(action, method, data);
  if (isJsonType(contentType) && !isPlatformBody(data)) return json(action, data);
  if (typeof data === 'string') return text(data, FORM);
  if (data instanceof URLSearchParams) return text(data.toString(), `${FORM};charset=UTF-8`);
  if (data instanceof ArrayBuffer) return bytes(data.slice(0), null);
  if (ArrayBuffer.isView(data)) return bytes(copyOf(data), null);
  if (data instanceof Blob || data instanceof FormData) return read(data);
  return text(formText(action, data), FORM);
}

function query(action: string, method: string, data: object | string | number | boolean): EncodedBody {
  if (typeof data === 'string') return { body: { kind: 'query', text: data }, contentType: null };
  if (data instanceof URLSearchParams) return query(action, method, data.toString());
  if (data instanceof FormData) return query(action, method, textOnly(action, method, data));
  if (isPlainObject(data)) return query(action, method, formText(action, data));
  throw new TypeError(`Data of '${action}' cannot join the query of a ${method}: it is ${describe(data)}`);
}

function textOnly(action: string, method: string, form: FormData): string {
  const fields = new URLSearchParams();
  for (const [name, value] of form) {
    if (typeof value === 'string') fields.append(name, value);
    else throw new TypeError(`Data of '${action}' cannot join the query of a ${method}: '${name}' is a file`);
  }
  return fields.toString();
}

function json(action: string, data: unknown): EncodedBody {
  let encoded: string | undefined;
  try {
    encoded = typeof data === 'string' ? data : jsonOf(data);
  } catch (cause) {
    throw new TypeError(`Data of '${action}' cannot be written as JSON: ${String(cause)}`, { cause });
  }
  if (encoded === undefined)
    throw new TypeError(`Data of '${action}' has no form in JSON: it is ${describe(data)}`);
  return text(encoded, null);
}

/** A form of flat fields: lists repeat their key, null and undefined are left out, dates are ISO. */
function formText(action: string, data: unknown): string {
  if (!isPlainObject(data))
    throw new TypeError(`Data of '${action}' cannot be a form: it is ${describe(data)}. ${USE_JSON}`);
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(data)) {
    for (const item of Array.isArray(value) ? value : [value]) appendField(fields, action, name, item);
  }
  return fields.toString();
}

/** Such a form with files: as `formText`, and Blobs as files. */
export function formDataOf(action: string, data: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(data)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item instanceof Blob) form.append(name, item);
      else appendField(form, action, name, item);
    }
  }
  return form;
}

const USE_JSON = "For JSON, set the header 'Content-Type: application/json' in configureRequest";
const USE_FORM_DATA = 'For files, use FormData';

function appendField(fields: URLSearchParams | FormData, action: string, name: string, value: unknown): void {
  if (value === undefined || value === null) return;
  const encoded = textOf(value);
  if (encoded === null) {
    const advice = value instanceof Blob ? USE_FORM_DATA : USE_JSON;
    throw new TypeError(
      `Field '${name}' of '${action}' cannot be a form field: it is ${describe(value)}. ${advice}`,
    );
  }
  fields.append(name, encoded);
}

function isPlatformBody(data: unknown): boolean {
  return (
    data instanceof URLSearchParams ||
    data instanceof ArrayBuffer ||
    ArrayBuffer.isView(data) ||
    data instanceof Blob ||
    data instanceof FormData
  );
}

function text(encoded: string, contentType: string | null): EncodedBody {
  return { body: { kind: 'text', text: encoded }, contentType };
}

function bytes(buffer: ArrayBuffer, contentType: string | null): EncodedBody {
  return { body: { kind: 'bytes', bytes: buffer }, contentType };
}

function copyOf(view: ArrayBufferView): ArrayBuffer {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength).slice().buffer;
}

/** The platform encodes these, with the right boundary and type. */
async function read(data: Blob | FormData): Promise<EncodedBody> {
  const response = new Response(data);
  const contentType = response.headers.get('content-type');
  return bytes(await response.arrayBuffer(), contentType);
}

/** The failure of a call whose Blob or file could not be read: the file may be gone since the user chose it. */
export function unreadable(action: string, error: unknown): Failure {
  return { code: 'protocol', message: `Data of '${action}' could not be read: ${String(error)}` };
}

/**
 * A value as JSON; undefined where JSON has no form for it. `refuses` gets each member, and true for items of lists.
 * @throws TypeError where JSON would write `{}` for a promise, a map, a stream or the like, or `refuses` returns true.
 */
export function jsonOf(
  value: unknown,
  refuses: (member: unknown, isItem: boolean) => boolean = () => false,
): string | undefined {
  return JSON.stringify(value, function (this: unknown, _key, member: unknown) {
    if (isEmptied(member) || refuses(member, Array.isArray(this)))
      throw new TypeError(`JSON cannot say ${describe(member)}`);
    return member;
  });
}

/** True for a promise, a map or a stream: JSON writes `{}`. Empty plain objects, lists and class objects pass. */
function isEmptied(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === 0 &&
    !/(?:Object|Array)\]/.test(Object.prototype.toString.call(value))
  );
}
