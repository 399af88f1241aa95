import { PALETTES, findPalette } from '../server/picture/palettes.ts';
import { SIZES, paint } from '../server/picture/picture.ts';

// demo/app/kept-pictures.ts knows the same names.
const PREFIX = 'pictures-';
const MARK = '/signed-in';

const LIMIT = 400;
const PICTURE = /^\/api\/photos\/(\d+)\/\w+\.svg$/;

export function isPreview(url: URL): boolean {
  return url.pathname === '/api/preview.svg';
}

export function isPicture(url: URL): boolean {
  return PICTURE.test(url.pathname);
}

/**
 * Each user's pictures are in a cache of their own, by the owner that their address names, as long as that user is signed
 * in. An address with a version always means the same picture, so what is stored is right. Without a network any picture of
 * the photo will do: they are drawings and scale.
 */
export async function answerPicture(
  request: Request,
  keep: (work: Promise<unknown>) => void,
): Promise<Response> {
  const url = new URL(request.url);
  const name = PREFIX + (url.searchParams.get('of') ?? '');
  const stored = await caches.match(request, { cacheName: name, ignoreVary: true });
  if (stored) return stored;
  try {
    const response = await fetch(request);
    if (response.ok) keep(store(name, request, response.clone()));
    return response;
  } catch (error) {
    const other = await findOther(name, url);
    if (other) return other;
    throw error;
  }
}

/** Paints a picture that the server does not have yet as the server will: backstage, and without a network. */
export function paintPreview({ searchParams }: URL): Response {
  const palette = findPalette(searchParams.get('palette') ?? '') ?? PALETTES[0];
  if (!palette) return Response.error();
  const picture = paint(Number(searchParams.get('seed')) || 0, palette, SIZES['medium'] ?? 0);
  return new Response(picture, { headers: { 'Content-Type': 'image/svg+xml' } });
}

function store(name: string, request: Request, response: Response): Promise<void> {
  return withPictures(name, async (cache) => {
    await cache.put(request, response);
    const stored = await picturesIn(cache);
    // In the order of arrival: the oldest go.
    await Promise.all(stored.slice(0, Math.max(0, stored.length - LIMIT)).map((old) => cache.delete(old)));
  });
}

/**
 * Opens the pictures of a user who is signed in. The page takes them away when the user signs out, which may happen meanwhile:
 * then they are new and unmarked, and go once more, even if what was done with them fails.
 */
async function withPictures<T>(name: string, use: (cache: Cache) => Promise<T>): Promise<T | undefined> {
  if (!(await isSignedIn(name))) return undefined;
  try {
    return await use(await caches.open(name));
  } finally {
    if (!(await isSignedIn(name))) await caches.delete(name);
  }
}

async function isSignedIn(name: string): Promise<boolean> {
  return (await caches.match(MARK, { cacheName: name })) !== undefined;
}

function findOther(name: string, url: URL): Promise<Response | undefined> {
  return withPictures(name, async (cache) => {
    const id = PICTURE.exec(url.pathname)?.[1];
    const others = (await picturesIn(cache)).filter(
      (request) => PICTURE.exec(new URL(request.url).pathname)?.[1] === id,
    );
    const newest = others.at(-1);
    return newest && cache.match(newest, { ignoreVary: true });
  });
}

async function picturesIn(cache: Cache): Promise<readonly Request[]> {
  return (await cache.keys()).filter(({ url }) => isPicture(new URL(url)));
}
