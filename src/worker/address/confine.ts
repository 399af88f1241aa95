import type { Expression } from '../../shared/template.ts';
import { LIMITS } from '../../shared/limits.ts';

/** Why no URL was made: thrown in this module only; `locate` makes a failure of it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: 'blocked-url' | 'url-too-long';

  constructor(code: 'blocked-url' | 'url-too-long', reason: string) {
    super(reason);
    this.code = code;
  }
}

export function tooLong(what: string): Refusal {
  return new Refusal(
    'url-too-long',
    `${what} the URL is longer than ${LIMITS.urlLength} characters; send long values in the body.`,
  );
}

/** Text for a message, which must not carry megabytes across threads. */
export function quote(text: string): string {
  return `'${text.length > 60 ? `${text.slice(0, 60)}…` : text}'`;
}

/** One part of a template, expanded. */
export interface Piece {
  readonly text: string;
  /** Its text with an ordinary value: where the author means to lead. */
  readonly plain: string;
  /** The expression whose values it holds; null for text that the author wrote. */
  readonly expression: Expression | null;
}

/**
 * Resolves the pieces, without the fragment, which is never sent. Invariant 11: the author's own text is trusted,
 * values are not.
 * @throws Refusal if values lead elsewhere, or it is not a URL that may be asked.
 */
export function confine(pieces: readonly Piece[], documentUrl: string): URL {
  const spans = spansOf(pieces);
  const whole = pieces.map((piece) => piece.text).join('');
  const text = before('#', whole);
  const path = before('?', text);
  refuseCutOff(spans, whole, text.length, /^#/);
  refuseCutOff(spans, text, path.length, /^&/);
  refuseCharacters(spans, path);
  refuseDotSegments(spans, path);
  const url = resolve(text, documentUrl);
  if (!url) throw blocked(`${quote(text)} is no URL at ${quote(documentUrl)}; check its scheme and host.`);
  if (!isHttp(url)) throw blocked(`${quote(text)} is neither http: nor https:; only those can be asked.`);
  if (url.username !== '' || url.password !== '') {
    throw blocked(`a user name or password stands in it, which fetch refuses; remove what comes before '@'.`);
  }
  refuseEscape(url, pieces, documentUrl);
  return url;
}

/**
 * Values must not change the origin of the base, nor climb above its directory. The base is the page's own origin, or
 * the one that the author wrote; neither has to be allowed.
 */
function refuseEscape(url: URL, pieces: readonly Piece[], documentUrl: string): void {
  const base = resolve(pieces[0]?.expression === null ? pieces[0].text : '', documentUrl);
  if (base?.origin !== url.origin) {
    throw blocked(
      `its values lead to ${quote(url.origin)}; write scheme, host and port as text before the first expression.`,
    );
  }
  const directory = directoryOf(base);
  if (url.pathname.startsWith(directory)) return;
  const plain = resolve(pieces.map((piece) => piece.plain).join(''), documentUrl);
  const floor = plain?.origin === base.origin ? above(directory, plain) : directory;
  if (url.pathname.startsWith(floor)) return;
  throw blocked(
    `its values lead to ${quote(url.pathname)}, outside of ${quote(floor)}; give values that stay inside.`,
  );
}

/**
 * Climbs to the first directory that contains the path of the author's own text. That path may leave `directory` by a
 * `..` after an expression, or by the slash of a leading `{/x}`.
 */
function above(directory: string, plain: URL): string {
  let floor = directory;
  while (!plain.pathname.startsWith(floor)) floor = parentOf(floor);
  return floor;
}

function directoryOf({ pathname }: URL): string {
  return pathname.slice(0, pathname.lastIndexOf('/') + 1);
}

function parentOf(directory: string): string {
  return directory.slice(0, directory.lastIndexOf('/', directory.length - 2) + 1);
}

interface Span {
  readonly piece: Piece;
  readonly start: number;
  readonly end: number;
}

function spansOf(pieces: readonly Piece[]): readonly Span[] {
  let start = 0;
  return pieces.map((piece) => {
    const end = start + piece.text.length;
    const span = { piece, start, end };
    start = end;
    return span;
  });
}

/**
 * A `#` or `?` in the value of a `{+x}` would cut off what the author wrote after it. It is at `index`, which is the
 * length of the text if there is none. Text that `isSafe` may follow it.
 */
function refuseCutOff(spans: readonly Span[], text: string, index: number, isSafe: RegExp): void {
  const span = spans.find(({ start, end }) => start <= index && index < end);
  const expression = span?.piece.expression;
  if (!span || expression?.operator !== '+') return;
  const rest = text.slice(span.end);
  if (rest === '' || isSafe.test(rest)) return;
  throw blocked(
    `${expression.text} is ${quote(span.piece.text)}, whose '${text.charAt(index)}' cuts off ${quote(rest)}; encode it.`,
  );
}

/** Backslashes and controls (C0, DEL, C1): each server and proxy reads them in its own way. */
const HAZARD: RegExp = /[\\\p{Cc}]|%5c|%[01][0-9a-f]|%7f|%c2%[89][0-9a-f]/iu;

function refuseCharacters(spans: readonly Span[], path: string): void {
  for (const { piece, start, end } of spans) {
    if (piece.expression && HAZARD.test(path.slice(start, end))) {
      throw blocked(
        `${piece.expression.text} is ${quote(piece.text)}, with a backslash or control character in the path; remove it.`,
      );
    }
  }
}

/**
 * A segment that a URL parser, or a server that decodes first (`%2F`) or drops path parameters (`..;x`), takes for `.`
 * or `..`. Encoded twice, it is data.
 */
const DOT_SEGMENT: RegExp = /(?<=^|\/|%2f)(?:\.|%2e){1,2}(?=$|\/|;|%2f|%3b)/gi;

function refuseDotSegments(spans: readonly Span[], path: string): void {
  for (const { index, 0: dots } of path.matchAll(DOT_SEGMENT)) {
    const end = index + dots.length;
    if (isWritten(spans, index, end)) continue;
    const makers = spans
      .filter((span) => span.start <= end && index <= span.end)
      .flatMap(({ piece }) => (piece.expression ? `${piece.expression.text} is ${quote(piece.text)}` : []));
    throw blocked(
      `${makers.join(' and ')}, which makes a path segment that reads '.' or '..'; give another value.`,
    );
  }
}

/** True if the author wrote this segment as text, from the slash before it to its end, whatever the values. */
function isWritten(spans: readonly Span[], start: number, end: number): boolean {
  const at = spans.findIndex(
    (span) => span.start <= start && end <= span.end && span.piece.expression === null,
  );
  const [span, next] = [spans[at], spans[at + 1]?.piece.expression];
  if (!span || (span.start === start && start !== 0)) return false;
  return end < span.end || !next || ['/', '?', '#'].includes(next.operator);
}

function resolve(text: string, documentUrl: string): URL | null {
  try {
    return new URL(text, withoutUser(documentUrl));
  } catch {
    return null;
  }
}

/** The page's URL without its user name, which fetch would refuse in every relative URL. */
function withoutUser(documentUrl: string): string {
  if (!documentUrl.includes('@')) return documentUrl;
  const page = new URL(documentUrl);
  page.username = page.password = '';
  return page.href;
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function before(mark: string, text: string): string {
  const at = text.indexOf(mark);
  return at === -1 ? text : text.slice(0, at);
}

function blocked(reason: string): Refusal {
  return new Refusal('blocked-url', reason);
}
