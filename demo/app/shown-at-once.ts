import { changeRow, prependRow, removeRow } from 'offstage';
import type { OptimisticWrite } from 'offstage';
import { isFoundBy, isRecord } from './photo.ts';
import type { Listing, Photo } from './photo.ts';

// How writes that wait change what the server has said, for `optimistic` of the resource. None of these changes what it is given.

/** What can be typed of a photo. */
export type Fields = Readonly<Record<'title' | 'description' | 'palette' | 'seed', string>>;

/** A new photo is the newest, and so the first. A search (`q`) has it where it would find it. */
export function addToListing(
  listing: Listing,
  write: OptimisticWrite,
  { q }: Readonly<Record<string, unknown>>,
): Listing {
  const photo = newPhoto(write);
  if (typeof q === 'string' && !isFoundBy(q, photo)) return listing;
  return withItems(listing, prependRow(listing.items, { ...write, data: photo }));
}

export function changeInListing(listing: Listing, write: OptimisticWrite): Listing {
  return withItems(listing, changeRow(listing.items, { ...write, data: draftOf(write.data) }));
}

export function removeFromListing(listing: Listing, write: OptimisticWrite): Listing {
  return withItems(listing, removeRow(listing.items, write));
}

/** The same for the answer that is one photo: another's stays as it is. */
export function changePhoto(photo: Photo, write: OptimisticWrite): Photo {
  const [changed] = changeRow([photo], { ...write, data: draftOf(write.data) });
  return changed;
}

/** A photo that the server does not have yet. */
export function newPhoto({ data, temporaryId }: Pick<OptimisticWrite, 'data' | 'temporaryId'>): Photo {
  const draft = draftOf(data);
  return { id: temporaryId ?? '', ...draft, createdAt: '', updatedAt: '', version: 0, owner: '' };
}

/** The fields of what is sent: of JSON as of a form. */
export function fieldsOf(data: unknown): Fields {
  const text = (name: keyof Fields): string => {
    const value = isRecord(data) ? data[name] : null;
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  return {
    title: text('title'),
    description: text('description'),
    palette: text('palette'),
    seed: text('seed'),
  };
}

function draftOf(data: unknown): Omit<Fields, 'seed'> & Pick<Photo, 'seed' | 'isDraft'> {
  const fields = fieldsOf(data);
  return { ...fields, seed: Number(fields.seed), isDraft: true };
}

/** The listing itself where nothing has changed. */
function withItems(listing: Listing, items: Listing['items']): Listing {
  if (items === listing.items) return listing;
  return { ...listing, items, total: listing.total + items.length - listing.items.length };
}
