import { essenceOf, headerValue, isJsonType } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { ReadBody } from './read-body.ts';

/** A successful answer that may be a captive portal's, with its request and the answer before it. */
export interface Suspect {
  /** The headers of the request, as it was sent. */
  readonly asked: readonly Header[];
  /** The headers of the last good answer; null if there is none. */
  readonly before: readonly Header[] | null;
  readonly headers: readonly Header[];
  /** Bytes of the body. */
  readonly size: number;
}

/**
 * True for a page of HTML where JSON was asked for, or came before: it is a captive portal's or a proxy's, not the
 * server's (invariant 4). Servers say of empty bodies, too, that they are HTML.
 */
export function looksLikePortal({ asked, before, headers, size }: Suspect): boolean {
  if (size === 0 || !isHtml(headerValue(headers, 'content-type'))) return false;
  return prefersJson(headerValue(asked, 'accept')) || isJsonType(headerValue(before ?? [], 'content-type'));
}

/** Tells a refusal of a captive portal or a proxy from one of the server. `asked`: the headers of the request. */
export function suspectOf(
  { headers, body }: Answer<ReadBody>,
  asked: readonly Header[],
  before: readonly Header[] | null,
): Suspect {
  return { asked, before, headers, size: sizeOf(body) };
}

/** A body that is left out, since it was not read to its end, has one byte at least. */
function sizeOf(body: ReadBody): number {
  if (body.kind !== 'value') return body.bytes.byteLength;
  return body.isLeftOut ? 1 : (body.size ?? 1);
}

function isHtml(contentType: string | null): boolean {
  const essence = essenceOf(contentType);
  return essence === 'text/html' || essence === 'application/xhtml+xml';
}

/** RFC 9110 section 12.5.1. Without an `Accept` header all types are alike. */
export function prefersJson(accept: string | null): boolean {
  const ranges = (accept ?? '').split(',').map(rangeOf);
  const json = Math.max(...ranges.filter(({ type }) => isJsonType(type)).map(({ weight }) => weight), 0);
  return json > weightOf('text/html', ranges);
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function rangeOf(text: string): Range {
  const weight = /;\s*q\s*=\s*([\d.]+)/i.exec(text)?.[1] ?? '1';
  return { type: essenceOf(text), weight: Number(weight) };
}

/** The most specific range that names the type decides. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const names = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  const found = names.map((name) => ranges.find((range) => range.type === name)?.weight);
  return found.find((weight) => weight !== undefined) ?? 0;
}
