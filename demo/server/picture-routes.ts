import { createHash } from 'node:crypto';
import { readId, whole } from './photo-input.ts';
import type { Own, OwnRoute } from './own-routes.ts';
import { readSize } from './photo-routes.ts';
import { PALETTES, findPalette } from './picture/palettes.ts';
import { paint } from './picture/picture.ts';
import { Problem } from './problem.ts';
import { json, unlessHeld } from './reply.ts';
import type { Reply } from './reply.ts';
import type { Route, Visit } from './router.ts';

const ONE_YEAR = 31_536_000;

/**
 * The pictures of photos. What an address shows never changes, but who may see it does. So the address names the owner
 * (`of`), and the browser's own cache keeps none: it could not be told that the owner has signed out. The app's worker
 * keeps them instead.
 */
export const PICTURE_ROUTES: readonly OwnRoute[] = [
  { method: 'GET', path: '/api/photos/{id}/{size}.svg', handle: picture },
];

/** Pictures of photos to be, and the palettes that they can be printed in: the same for everybody. */
export const PREVIEW_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/api/preview.svg', handle: preview },
  { method: 'GET', path: '/api/palettes', handle: palettes },
];

async function picture(visit: Visit, { user, photos }: Own): Promise<Reply> {
  const width = readSize(visit.param('size'));
  const id = readId(visit.param('id'));
  const photo = (visit.url.searchParams.get('of') ?? user) === user ? await photos.find(id) : null;
  const palette = photo && findPalette(photo.palette);
  if (!palette) throw new Problem(404, `There is no photo ${id}.`);
  return svg(visit, paint(photo.seed, palette, width), 'no-store');
}

function preview(visit: Visit): Reply {
  const { searchParams } = visit.url;
  const palette = findPalette(searchParams.get('palette') ?? '');
  if (!palette) throw new Problem(400, 'There is no such palette.');
  const seed = whole(searchParams, 'seed', { fallback: 0, low: 0, high: 2_147_483_647 });
  return svg(visit, paint(seed, palette, readSize('medium')), `max-age=${ONE_YEAR}, immutable`);
}

function palettes({ headers }: Visit): Reply {
  const items = PALETTES.map(({ name, label, sky, light, tones, accent }) => {
    return { name, label, colours: [...sky, light, ...tones, accent] };
  });
  const body = { items };
  return unlessHeld(headers['if-none-match'], json(body, { ETag: tagOf(JSON.stringify(body)) }));
}

function svg({ headers }: Visit, document: string, cacheControl: string): Reply {
  return unlessHeld(headers['if-none-match'], {
    status: 200,
    headers: { 'Content-Type': 'image/svg+xml', 'Cache-Control': cacheControl, ETag: tagOf(document) },
    body: document,
  });
}

function tagOf(content: string): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 16)}"`;
}
