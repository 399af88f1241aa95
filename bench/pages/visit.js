// A page that somebody visits: it asks for one thing, whichever library does, and shows it.

/** Where the thing is: `/small/first`, or `/list`. */
export const wanted = location.hash.slice(1);

globalThis.bench = {
  errors: [],
  /** Milliseconds from the navigation to the first data; null before. */
  shownAt: null,
};
globalThis.addEventListener('error', ({ message }) => globalThis.bench.errors.push(message));
globalThis.addEventListener('unhandledrejection', ({ reason }) =>
  globalThis.bench.errors.push(String(reason)),
);

export function show(data) {
  if (data === undefined || data === null) return;
  if (wanted === '/list' ? data.length !== 1_000 : data.name !== 'first')
    globalThis.bench.errors.push(`Not what ${wanted} is: ${JSON.stringify(data).slice(0, 80)}`);
  globalThis.bench.shownAt ??= performance.now();
}

export const fetchJson = (url) => fetch(url).then((response) => response.json());
