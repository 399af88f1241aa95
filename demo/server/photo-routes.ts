import type { Own, OwnRoute, OwnWrite, WriteVisit } from './own-routes.ts';
import { readId, readPage, readPhotoFields } from './photo-input.ts';
import type { Photo } from './photos.ts';
import { SIZES } from './picture/picture.ts';
import { Problem } from './problem.ts';
import { empty, json, matches, unlessHeld } from './reply.ts';
import type { Reply } from './reply.ts';
import { fieldsOf } from './request-body.ts';
import type { Visit } from './router.ts';

/** The collection: the list, and one photo. */
export const PHOTO_ROUTES: readonly OwnRoute[] = [
  { method: 'GET', path: '/api/photos', handle: list },
  { method: 'GET', path: '/api/photos/{id}', handle: (visit, own) => one(visit, own, 'medium') },
  {
    method: 'GET',
    path: '/api/photos/{id}/{size}',
    handle: (visit, own) => one(visit, own, visit.param('size')),
  },
];

/** What changes it: create, change, delete. */
export const PHOTO_WRITES: readonly OwnWrite[] = [
  { method: 'POST', path: '/api/photos', perform: create },
  { method: 'PUT', path: '/api/photos/{id}', perform: change },
  { method: 'DELETE', path: '/api/photos/{id}', perform: remove },
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

async function create({ body }: WriteVisit, own: Own): Promise<Reply> {
  const photo = await own.photos.create(readPhotoFields(fieldsOf(body)));
  return json(photo, { ETag: tagOf(photo, own), Location: `/api/photos/${photo.id}` }, 201);
}

async function change(visit: WriteVisit, own: Own): Promise<Reply> {
  const before = await found(visit, own);
  const fields = readPhotoFields(fieldsOf(visit.body), before);
  const after = await own.photos.update(before.id, fields, expected(visit, before, own));
  if (!after) throw overtaken(await found(visit, own), own);
  return json(after, { ETag: tagOf(after, own) });
}

async function remove(visit: WriteVisit, own: Own): Promise<Reply> {
  const photo = await found(visit, own);
  const isDeleted = await own.photos.delete(photo.id, expected(visit, photo, own));
  if (!isDeleted) throw overtaken(await found(visit, own), own);
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
  if (!matches(condition, tagOf(photo, own))) throw overtaken(photo, own);
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

/** Says what is there instead, so that somebody can choose between the two. */
function overtaken(photo: Photo, own: Own): Problem {
  return new Problem(412, `Photo ${photo.id} has been changed by somebody else in the meantime.`, {
    headers: { ETag: tagOf(photo, own) },
    current: photo,
  });
}
