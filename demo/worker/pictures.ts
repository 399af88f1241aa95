const NAME = 'pictures';
const LIMIT = 400;
const PICTURE = /^\/api\/photos\/(\d+)\/\w+\.svg$/;

export function isPreview(url: URL): boolean {
  return url.pathname === '/api/preview.svg';
}

export function isPicture(url: URL): boolean {
  return PICTURE.test(url.pathname);
}

/**
 * An address with a version always means the same picture, so what is stored is right. Without a network any picture
 * of the photo will do: they are drawings and scale.
 */
export async function answerPicture(
  request: Request,
  keep: (work: Promise<unknown>) => void,
): Promise<Response> {
  const cache = await caches.open(NAME);
  const stored = await cache.match(request);
  if (stored) return stored;
  try {
    const response = await fetch(request);
    if (response.ok) keep(store(cache, request, response.clone()));
    return response;
  } catch (error) {
    const other = await findOther(cache, new URL(request.url));
    if (other) return other;
    throw error;
  }
}

/** A form that is open without a network shows an empty frame. */
export async function answerPreview(request: Request): Promise<Response> {
  const blank = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 2"/>';
  const headers = { 'Content-Type': 'image/svg+xml' };
  return fetch(request).catch(() => new Response(blank, { headers }));
}

async function store(cache: Cache, request: Request, response: Response): Promise<void> {
  await cache.put(request, response);
  const stored = await cache.keys();
  // In the order of arrival: the oldest go.
  await Promise.all(stored.slice(0, Math.max(0, stored.length - LIMIT)).map((old) => cache.delete(old)));
}

async function findOther(cache: Cache, url: URL): Promise<Response | undefined> {
  const id = PICTURE.exec(url.pathname)?.[1];
  const stored = await cache.keys();
  const others = stored.filter((request) => PICTURE.exec(new URL(request.url).pathname)?.[1] === id);
  const newest = others.at(-1);
  return newest && cache.match(newest);
}
