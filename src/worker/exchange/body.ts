import { essenceOf, headerValue, isJsonType, saysJson } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { ParseFailure } from '../../shared/failure.ts';
import type { AnswerBody } from '../../shared/outcome.ts';
import type { JsonBody, ReadBody, Reading } from '../read-body.ts';

/** Bytes from which on it costs a page less to parse the text itself than to have the parsed body copied. */
const LARGE = 65_536;

/** Bytes below which the whole is as good as what has changed. */
const SMALL = 2_048;

export type Parsed<Body = AnswerBody> =
  | { readonly kind: 'parsed'; readonly body: Body }
  /** `text` is what there was instead. */
  | { readonly kind: 'unreadable'; readonly failure: ParseFailure; readonly text: string };

/**
 * Reads a body as it is wanted. One that is to be revised is only told from others: whoever compares it finds out
 * whether it is JSON at all.
 */
export function readBody(
  bytes: ArrayBuffer,
  headers: readonly Header[],
  status: number,
  reading: Reading,
): Parsed<ReadBody> {
  const isJson = saysJson(headers);
  const json: JsonBody = { kind: 'json', bytes, step: null };
  if (reading === 'revised' && isJson && bytes.byteLength >= SMALL) return { kind: 'parsed', body: json };
  const read = parseBody(bytes, headers, status);
  const isCheap = reading === 'checked' && isJson && bytes.byteLength >= LARGE;
  return isCheap && read.kind === 'parsed' ? { kind: 'parsed', body: json } : read;
}

/** Reads a body by its Content-Type: JSON, text, or bytes; an empty one is null. */
export function parseBody(bytes: ArrayBuffer, headers: readonly Header[], status: number): Parsed {
  if (bytes.byteLength === 0) return parsed(null);
  const contentType = headerValue(headers, 'content-type');
  if (isJsonType(contentType)) return parseJson(bytes, status, contentType);
  if (isText(contentType)) return parsed(decode(bytes, contentType));
  return { kind: 'parsed', body: { kind: 'bytes', bytes, type: contentType ?? '' } };
}

/** Always UTF-8, as RFC 8259 section 8.1 has it. `JSON.parse` makes `__proto__` a key like any other. */
function parseJson(bytes: ArrayBuffer, status: number, contentType: string | null): Parsed {
  const text = new TextDecoder().decode(bytes);
  try {
    return parsed(JSON.parse(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const message = `The answer says that it is ${contentType}, but it is not JSON: ${why}`;
    return { kind: 'unreadable', failure: { code: 'parse', message, status, contentType }, text };
  }
}

/** An answer that does not say what it is, is taken for text. */
function isText(contentType: string | null): boolean {
  const essence = essenceOf(contentType);
  return (
    essence === '' || essence.startsWith('text/') || essence === 'application/xml' || essence.endsWith('+xml')
  );
}

function decode(bytes: ArrayBuffer, contentType: string | null): string {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
  return decoder(charset).decode(bytes);
}

/** `TextDecoder` throws for a charset that the Encoding Standard does not know. */
function decoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function parsed(value: unknown): Parsed {
  return { kind: 'parsed', body: { kind: 'value', value } };
}
