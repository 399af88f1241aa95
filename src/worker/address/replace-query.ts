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
