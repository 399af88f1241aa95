import { createHash } from 'node:crypto';
import { readId, whole } from './photo-input.ts';
import { readSize } from './photo-routes.ts';
import type { Photos } from './photos.ts';
import { PALETTES, findPalette } from './picture/palettes.ts';
import { paint } from './picture/picture.ts';
import { Problem } from './problem.ts';
import { json, unlessHeld } from './reply.ts';
import type { Reply } from './reply.ts';
import type { Route, Visit } from './router.ts';

const ONE_YEAR = 31_536_000;

/** The pictures of photos, of photos to be, and the palettes that they can be printed in. */
export function pictureRoutes(photos: Photos): Route[] {
  const picture = async (visit: Visit): Promise<Reply> => {
    const width = readSize(visit.param('size'));
    const id = readId(visit.param('id'));
    const photo = await photos.find(id);
    const palette = photo && findPalette(photo.palette);
    if (!palette) throw new Problem(404, `There is no photo ${id}.`);
    const current = visit.url.searchParams.get('v') === String(photo.version);
    return svg(
      visit,
      paint(photo.seed, palette, width),
      current ? `max-age=${ONE_YEAR}, immutable` : 'no-cache',
    );
  };

  return [
    { method: 'GET', path: '/api/photos/{id}/{size}.svg', handle: picture },
    { method: 'GET', path: '/api/preview.svg', handle: preview },
    { method: 'GET', path: '/api/palettes', handle: palettes },
  ];
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
