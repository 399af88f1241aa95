import type { PlainFailure } from '../../shared/failure.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { confine } from './confine.ts';
import { expand, type Piece, written } from './expansion.ts';
import { quote, Refusal, tooLong } from './refusal.ts';

export type Located =
  | { readonly kind: 'located'; readonly url: string }
  | { readonly kind: 'refused'; readonly failure: PlainFailure };

/**
 * The URL that an invocation asks, without a fragment, or why it may not ask (invariant 11). `parameters` replace those
 * of its query that have their names. It never throws.
 */
export function locate(
  invocation: Invocation,
  parameters: readonly (readonly [name: string, value: string])[] = [],
): Located {
  const { template, baseUrl, params, documentUrl, body } = invocation;
  try {
    const url = confine(below(baseUrl, expand(template, params)), documentUrl);
    addQuery(url, body);
    const { href } = url;
    if (href.length > LIMITS.urlLength) throw tooLong('with its values');
    const replaced = replaceQuery(href, parameters);
    if (replaced.length > LIMITS.urlLength) throw tooLong('with the place of its cursor');
    return { kind: 'located', url: replaced };
  } catch (error) {
    return { kind: 'refused', failure: explain(template, error) };
  }
}

/** The pieces with `baseUrl` before them: text, not a template, and exactly one slash between. */
function below(baseUrl: string, pieces: readonly Piece[]): readonly Piece[] {
  if (baseUrl === '') return pieces;
  // Before the search for its slashes, which costs the square of their number.
  if (baseUrl.length > LIMITS.urlLength) throw tooLong('with its baseUrl');
  const directory = `${baseUrl.replace(/\/+$/, '')}/`;
  const [first, ...rest] = pieces;
  if (!first) return [written(directory)];
  if (first.expression === null) return [written(directory + first.text.replace(/^\/+/, '')), ...rest];
  if (first.expression.operator !== '/') return [written(directory), ...pieces];
  // `{/x}` brings a slash of its own.
  return [written(directory), { ...first, text: first.text.slice(1), plain: first.plain.slice(1) }, ...rest];
}

/** Data of a GET joins the query whole: URL encodes a `#` in it, but would drop tabs and line breaks. */
function addQuery(url: URL, body: RequestBody): void {
  if (body.kind !== 'query') return;
  const text = body.text.replace(/^[?&]/, '').replace(/[\t\n\r]/g, encodeURIComponent);
  if (text === '') return;
  url.search = url.search === '' ? `?${text}` : `${url.search}&${text}`;
}

function explain(template: string, error: unknown): PlainFailure {
  const where = `URL template ${quote(template)}`;
  if (error instanceof Refusal) return { code: error.code, message: `${where}: ${error.message}` };
  const surprise = String(error).slice(0, 200);
  const message = `${where} cannot be expanded (${surprise}); nothing was sent, check it and its parameters.`;
  return { code: 'blocked-url', message };
}

/**
 * A URL without a fragment, with parameters in the place of those that have their names, else at its end. All others
 * stay as they are, byte for byte: `URLSearchParams` would write `%20` as `+`, and a signed URL would not survive that.
 */
export function replaceQuery(
  url: string,
  parameters: readonly (readonly [name: string, value: string])[],
): string {
  return parameters.reduce((so, [name, value]) => replace(so, name, value), url);
}

function replace(url: string, name: string, value: string): string {
  const [path, query] = cut(url);
  const pieces = query === '' ? [] : query.split('&');
  const [first = pieces.length, ...others] = pieces.flatMap((piece, at) =>
    nameOf(piece) === name ? at : [],
  );
  const kept = pieces.filter((_piece, at) => !others.includes(at));
  kept[first] = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
  return `${path}?${kept.join('&')}`;
}

function cut(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** As a server reads it; null for nothing between two `&`. A `?` at the beginning belongs to the name. */
function nameOf(piece: string): string | null {
  return new URLSearchParams(`&${piece}`).keys().next().value ?? null;
}
