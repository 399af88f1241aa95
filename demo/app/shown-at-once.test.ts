import type { OptimisticWrite } from 'offstage';
import { describe, expect, test } from 'vitest';
import { pictureOf } from './photo.ts';
import type { Listing, Photo } from './photo.ts';
import { addToListing, changeInListing, changePhoto, removeFromListing } from './shown-at-once.ts';

const PHOTO: Photo = {
  id: 7,
  title: 'Dusk',
  description: '',
  palette: 'dusk',
  seed: 1,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  version: 1,
  owner: 'mira',
};
const LISTING: Listing = { items: [{ ...PHOTO, id: 9 }, PHOTO], total: 50, cursor: 3, origin: 'one' };
const FIELDS = { title: 'Dawn', description: 'Early', palette: 'dawn', seed: '3' };

function write(more: Partial<OptimisticWrite>): OptimisticWrite {
  return { action: 'update', params: {}, data: FIELDS, temporaryId: null, entry: null, ...more };
}

describe('a listing', () => {
  test('begins with a new photo, whose picture is painted here', () => {
    const { items, total, cursor } = addToListing(LISTING, write({ temporaryId: 'temporary-1' }), {});
    expect(total).toBe(51);
    expect(cursor).toBe(3);
    expect(items.slice(1)).toEqual(LISTING.items);
    const [photo = PHOTO] = items;
    expect(photo).toMatchObject({ ...FIELDS, seed: 3, id: 'temporary-1', isDraft: true });
    expect(pictureOf(photo, 'small')).toBe('/api/preview.svg?palette=dawn&seed=3');
  });

  test('of a search has a new photo where the search finds it', () => {
    const added = (q: string): Listing => addToListing(LISTING, write({ temporaryId: 'temporary-1' }), { q });
    expect(added('zebra')).toBe(LISTING);
    expect(added('DAW').total).toBe(51);
    expect(added('early').total).toBe(51);
  });

  test('has a changed photo in its place', () => {
    const { items, total } = changeInListing(LISTING, write({ params: { id: '7' } }));
    expect(total).toBe(50);
    expect(items[1]).toEqual({ ...PHOTO, ...FIELDS, seed: 3, isDraft: true });
    expect(items[0]).toBe(LISTING.items[0]);
  });

  test('is one shorter without a deleted photo', () => {
    const { items, total } = removeFromListing(LISTING, write({ params: { id: '9' }, data: null }));
    expect(total).toBe(49);
    expect(items).toEqual([PHOTO]);
  });

  test('stays the same where the photo is on another page', () => {
    expect(changeInListing(LISTING, write({ params: { id: '1' } }))).toBe(LISTING);
    expect(removeFromListing(LISTING, write({ params: { id: '1' }, data: null }))).toBe(LISTING);
  });
});

test('of single photos the one that is meant changes', () => {
  expect(changePhoto(PHOTO, write({ params: { id: '7' } }))).toMatchObject({ title: 'Dawn', version: 1 });
  expect(changePhoto(PHOTO, write({ params: { id: '9' } }))).toBe(PHOTO);
});
