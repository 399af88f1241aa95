import { expect, test } from 'vitest';
import type { Lookup } from '../contracts/lookup.ts';
import { Outdating } from './outdating.ts';

/** A store of these keys; `asked` counts how many were listed. */
class Stage {
  readonly keys: string[];
  readonly outdated: string[] = [];
  listed = 0;
  fails = false;
  /** Called before each list is given. */
  meanwhile: () => void = () => {};
  readonly outdating: Outdating = new Outdating({
    keys: async (after, limit): Promise<Lookup<readonly string[]>> => {
      await Promise.resolve();
      this.meanwhile();
      if (this.fails) return { kind: 'unknown', error: new Error('late') };
      const value = this.keys.filter((key) => key > after).slice(0, limit);
      this.listed += value.length;
      return value.length === 0 ? { kind: 'absent' } : { kind: 'found', value };
    },
    act: async (key) => void this.outdated.push(key),
  });

  constructor(...urls: readonly string[]) {
    this.keys = urls.map((url) => `${url} `).toSorted();
  }
}

const PHOTO = { prefixes: ['/photo/'] };
const PHOTOS = { prefixes: ['/photos ', '/photos?'] };

test('all that begins with the base is outdated, with any headers, and nothing else', async () => {
  const stage = new Stage('/photo', '/photo/1', '/photo/1/big', '/photo/2', '/photos', '/zoo');
  stage.keys.push('/photo/2 digest');
  stage.keys.sort();
  await stage.outdating.run(PHOTO);
  expect(stage.outdated).toEqual(['/photo/1 ', '/photo/1/big ', '/photo/2 ', '/photo/2 digest']);
});

test('of a template without expressions it is the URL with any query', async () => {
  const stage = new Stage('/photo', '/photos', '/photos/1', '/photos2', '/photos?page=2');
  await stage.outdating.run(PHOTOS);
  expect(stage.outdated).toEqual(['/photos ', '/photos?page=2 ']);
});

test('a thousand of them are found, and a hundred thousand others are not listed', async () => {
  const many = Array.from({ length: 1_000 }, (_, id) => `/photo/${id}`);
  const others = Array.from({ length: 100_000 }, (_, id) => `/${id % 2 === 0 ? 'a' : 'z'}/${id}`);
  const stage = new Stage(...many, ...others);
  await stage.outdating.run(PHOTO);
  expect(stage.outdated).toHaveLength(1_000);
  expect(stage.listed).toBeLessThan(1_200);
});

test('they count as outdated at once, but for those that are stored meanwhile', async () => {
  const stage = new Stage('/photo/1', '/photo/2');
  stage.meanwhile = () => stage.outdating.spare('/photo/2 ');
  const running = stage.outdating.run(PHOTO);
  expect(['/photo/1 ', '/photo/9 ', '/other '].map((key) => stage.outdating.covers(key))).toEqual([
    true,
    true,
    false,
  ]);
  await running;
  expect(stage.outdated).toEqual(['/photo/1 ']);
  expect(stage.outdating.covers('/photo/1 ')).toBe(false);
});

test('a storage that cannot tell ends it', async () => {
  const stage = new Stage('/photo/1');
  stage.fails = true;
  await stage.outdating.run(PHOTO);
  expect([stage.outdated, stage.outdating.covers('/photo/1 ')]).toEqual([[], false]);
});
