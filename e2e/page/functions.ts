import type { StandardSchemaV1 } from 'offstage';

/** Functions that an app gives to the engine, wherever that runs. */

interface Photo {
  readonly id: number;
  readonly title: string;
  readonly likes: number;
}

interface Collection {
  readonly items: readonly Photo[];
}

function isCollection(value: unknown): value is Collection {
  return typeof value === 'object' && value !== null && 'items' in value && Array.isArray(value.items);
}

/** The photos of a collection, the most liked first: what an app would do in `manipulateData`. */
export function mostLiked({ items }: Collection): readonly Photo[] {
  return items.toSorted((one, other) => other.likes - one.likes);
}

/** A Standard Schema: every photo has a title. */
export const titled: StandardSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'e2e',
    validate: (value: unknown) => {
      const items = isCollection(value) ? value.items : [];
      const index = items.findIndex(({ title }) => title === '');
      return index === -1
        ? { value }
        : { issues: [{ message: 'has no title', path: ['items', index, 'title'] }] };
    },
  },
};

/** Keeps the photos whose title has a text in it. */
export function matches({ title }: Photo, text: string): boolean {
  return title.includes(text);
}

export function byLikes(one: Photo, other: Photo): number {
  return other.likes - one.likes;
}
