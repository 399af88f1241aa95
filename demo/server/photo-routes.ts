import type { Own, OwnRoute } from './own-routes.ts';
import { readId, readPage, readPhotoFields } from './photo-input.ts';
import type { Photo } from './photos.ts';
import { SIZES } from './picture/picture.ts';
import { Problem } from './problem.ts';
import { empty, json, matches, unlessHeld } from './reply.ts';
import type { Reply } from './reply.ts';
import { readFields } from './request-body.ts';
import type { Visit } from './router.ts';

/** The collection: list, one photo, create, change, delete. */
export const PHOTO_ROUTES: readonly OwnRoute[] = [
  { method: 'GET', path: '/api/photos', handle: list },
  { method: 'POST', path: '/api/photos', handle: create },
  { method: 'GET', path: '/api/photos/{id}', handle: (visit, own) => one(visit, own, 'medium') },
  { method: 'PUT', path: '/api/photos/{id}', handle: change },
  { method: 'DELETE', path: '/api/photos/{id}', handle: remove },
  {
    method: 'GET',
    path: '/api/photos/{id}/{size}',
    handle: (visit, own) => one(visit, own, visit.param('size')),
  },
];

async function list({ url, headers }: Visit, { photos }: Own): Promise<Reply> {
  const page = await photos.list(readPage(url.searchParams));
  const ETag = `"${photos.origin}-${page.cursor}"`;
  return unlessHeld(headers['if-none-match'], json(page, { ETag }));
}

async function one(visit: Visit, own: Own, size: string): Promise<Reply> {
  const width = readSize(size);
  const photo = await found(visit, own);
  return unlessHeld(
    visit.headers['if-none-match'],
    json({ ...photo, size, width, picture: pictureOf(photo, size) }, { ETag: tagOf(photo, own) }),
  );
}

async function create({ request }: Visit, own: Own): Promise<Reply> {
  const photo = await own.photos.create(readPhotoFields(await readFields(request)));
  return json(photo, { ETag: tagOf(photo, own), Location: `/api/photos/${photo.id}` }, 201);
}

async function change(visit: Visit, own: Own): Promise<Reply> {
  const before = await found(visit, own);
  const fields = readPhotoFields(await readFields(visit.request), before);
  const after = await own.photos.update(before.id, fields, expected(visit, before, own));
  if (!after) throw overtaken(before.id);
  return json(after, { ETag: tagOf(after, own) });
}

async function remove(visit: Visit, own: Own): Promise<Reply> {
  const photo = await found(visit, own);
  if (!(await own.photos.delete(photo.id, expected(visit, photo, own)))) throw overtaken(photo.id);
  return empty();
}

/** Another user's photo is as much there as one that never was. */
async function found(visit: Visit, { photos }: Own): Promise<Photo> {
  const id = readId(visit.param('id'));
  const photo = await photos.find(id);
  if (!photo) throw new Problem(404, `There is no photo ${id}.`);
  return photo;
}

function tagOf({ id, version }: Photo, { photos }: Own): string {
  return `"${photos.origin}-${id}.${version}"`;
}

/** The version that a write may change; null for any (RFC 9110, section 13.1.1). */
function expected({ headers }: Visit, photo: Photo, own: Own): number | null {
  const condition = headers['if-match'];
  if (condition === undefined) return null;
  if (!matches(condition, tagOf(photo, own))) throw overtaken(photo.id);
  return photo.version;
}

/** The width in pixels that goes by that name. */
export function readSize(name: string): number {
  const width = Object.hasOwn(SIZES, name) ? SIZES[name] : undefined;
  if (width !== undefined) return width;
  throw new Problem(404, `There is no size ${name}: choose ${Object.keys(SIZES).join(', ')}.`);
}

/** The version makes the address new whenever the picture is; the owner keeps it apart from other users' pictures. */
function pictureOf({ id, version, owner }: Photo, size: string): string {
  return `/api/photos/${id}/${size}.svg?of=${owner}&v=${version}`;
}

function overtaken(id: number): Problem {
  return new Problem(412, `Photo ${id} has been changed by somebody else in the meantime.`);
}
