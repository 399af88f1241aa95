import type { Database } from './database.ts';
import { readId, readPage, readPhotoFields } from './photo-input.ts';
import type { Photo, Photos } from './photos.ts';
import { SIZES } from './picture/picture.ts';
import { Problem } from './problem.ts';
import { empty, json, matches, unlessHeld } from './reply.ts';
import type { Reply } from './reply.ts';
import { readFields } from './request-body.ts';
import type { Route, Visit } from './router.ts';

/** The collection: list, one photo, create, change, delete. */
export function photoRoutes(photos: Photos, { name }: Database): Route[] {
  const tagOf = ({ id, version }: Photo): string => `"${name}-${id}.${version}"`;

  const list = async ({ url, headers }: Visit): Promise<Reply> => {
    const found = await photos.list(readPage(url.searchParams));
    return unlessHeld(headers['if-none-match'], json(found, { ETag: `"${name}-${found.cursor}"` }));
  };

  const one = async (visit: Visit, size: string): Promise<Reply> => {
    const width = readSize(size);
    const photo = await found(visit);
    return unlessHeld(
      visit.headers['if-none-match'],
      json({ ...photo, size, width, picture: pictureOf(photo, size) }, { ETag: tagOf(photo) }),
    );
  };

  const create = async ({ request }: Visit): Promise<Reply> => {
    const photo = await photos.create(readPhotoFields(await readFields(request)));
    return json(photo, { ETag: tagOf(photo), Location: `/api/photos/${photo.id}` }, 201);
  };

  const change = async (visit: Visit): Promise<Reply> => {
    const before = await found(visit);
    const fields = readPhotoFields(await readFields(visit.request), before);
    const after = await photos.update(before.id, fields, expected(visit, before));
    if (!after) throw overtaken(before.id);
    return json(after, { ETag: tagOf(after) });
  };

  const remove = async (visit: Visit): Promise<Reply> => {
    const photo = await found(visit);
    if (!(await photos.delete(photo.id, expected(visit, photo)))) throw overtaken(photo.id);
    return empty();
  };

  const found = async (visit: Visit): Promise<Photo> => {
    const id = readId(visit.param('id'));
    const photo = await photos.find(id);
    if (!photo) throw new Problem(404, `There is no photo ${id}.`);
    return photo;
  };

  /** The version that a write may change; null for any (RFC 9110, section 13.1.1). */
  const expected = ({ headers }: Visit, photo: Photo): number | null => {
    const condition = headers['if-match'];
    if (condition === undefined) return null;
    if (!matches(condition, tagOf(photo))) throw overtaken(photo.id);
    return photo.version;
  };

  return [
    { method: 'GET', path: '/api/photos', handle: list },
    { method: 'POST', path: '/api/photos', handle: create },
    { method: 'GET', path: '/api/photos/{id}', handle: (visit) => one(visit, 'medium') },
    { method: 'PUT', path: '/api/photos/{id}', handle: change },
    { method: 'DELETE', path: '/api/photos/{id}', handle: remove },
    { method: 'GET', path: '/api/photos/{id}/{size}', handle: (visit) => one(visit, visit.param('size')) },
  ];
}

/** The width in pixels that goes by that name. */
export function readSize(name: string): number {
  const width = Object.hasOwn(SIZES, name) ? SIZES[name] : undefined;
  if (width !== undefined) return width;
  throw new Problem(404, `There is no size ${name}: choose ${Object.keys(SIZES).join(', ')}.`);
}

/** The version makes the address new whenever the picture is, so that a cache may keep it for good. */
function pictureOf({ id, version }: Photo, size: string): string {
  return `/api/photos/${id}/${size}.svg?v=${version}`;
}

function overtaken(id: number): Problem {
  return new Problem(412, `Photo ${id} has been changed by somebody else in the meantime.`);
}
