import { describe, expect, test } from 'vitest';
import { Deferred } from '../platform/waiting.ts';
import type { Lookup } from '../contracts/lookup.ts';
import { UrlSweep } from './url-sweep.ts';

const PHOTO = 'https://page.example/photo';

/** A storage with keys in order, which answers as soon as it is let. */
class Shelf {
  readonly keys: Set<string>;
  readonly sweep: UrlSweep;
  gate: Promise<unknown> = Promise.resolve();
  fails = false;

  constructor(...keys: string[]) {
    this.keys = new Set(keys);
    this.sweep = new UrlSweep({
      keys: (after, limit) => this.#list(after, limit),
      act: async (key) => void this.keys.delete(key),
    });
  }

  async #list(after: string, limit: number): Promise<Lookup<readonly string[]>> {
    await this.gate;
    if (this.fails) return { kind: 'unknown', error: 'late' };
    const value = [...this.keys]
      .toSorted()
      .filter((key) => key > after)
      .slice(0, limit);
    return value.length > 0 ? { kind: 'found', value } : { kind: 'absent' };
  }
}

test('all keys of the URL go, and no others', async () => {
  const others = [`${PHOTO}/1 `, `${PHOTO}?a=1 `, 'https://page.example/pho ', `${PHOTO}s digest`];
  const shelf = new Shelf(`${PHOTO} `, `${PHOTO} one`, `${PHOTO} two`, ...others);
  await shelf.sweep.run(`${PHOTO}#top`);
  expect([...shelf.keys]).toEqual(others);
});

test('of more keys than are listed at a time', async () => {
  const shelf = new Shelf(...Array.from({ length: 250 }, (_, nth) => `${PHOTO} ${nth}`), `${PHOTO}/1 `);
  await shelf.sweep.run(PHOTO);
  expect([...shelf.keys]).toEqual([`${PHOTO}/1 `]);
});

describe('until the keys are listed', () => {
  test('it covers them, except those that are stored since, which stay', async () => {
    const shelf = new Shelf(`${PHOTO} `, `${PHOTO} one`);
    const listed = new Deferred();
    shelf.gate = listed.promise;
    const removing = shelf.sweep.run(PHOTO);
    shelf.sweep.spare(`${PHOTO} one`);
    expect([`${PHOTO} `, `${PHOTO} one`, `${PHOTO}/1 `].map((key) => shelf.sweep.covers(key))).toEqual([
      true,
      false,
      false,
    ]);
    listed.resolve();
    await removing;
    expect([...shelf.keys]).toEqual([`${PHOTO} one`]);
    expect(shelf.sweep.covers(`${PHOTO} `)).toBe(false);
  });

  test('a second one takes those that were stored after the first', async () => {
    const shelf = new Shelf(`${PHOTO} `, `${PHOTO} one`);
    const listed = new Deferred();
    shelf.gate = listed.promise;
    const first = shelf.sweep.run(PHOTO);
    shelf.sweep.spare(`${PHOTO} `);
    const second = shelf.sweep.run(PHOTO);
    expect(shelf.sweep.covers(`${PHOTO} `)).toBe(true);
    listed.resolve();
    await Promise.all([first, second]);
    expect([...shelf.keys]).toEqual([]);
  });
});

test('where the keys cannot be read, the answer without headers of its own goes', async () => {
  const shelf = new Shelf(`${PHOTO} `, `${PHOTO} one`);
  shelf.fails = true;
  await shelf.sweep.run(PHOTO);
  expect([...shelf.keys]).toEqual([`${PHOTO} one`]);
  expect(shelf.sweep.covers(`${PHOTO} one`)).toBe(false);
});
