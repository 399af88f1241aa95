import { describe, expect, test } from 'vitest';
import { Deferred } from '../platform/waiting.ts';
import type { Lookup } from '../contracts/lookup.ts';
import { Removal } from './removal.ts';

const PHOTO = 'https://page.example/photo';

/** A storage with keys in order, which answers as soon as it is let. */
class Shelf {
  readonly keys: Set<string>;
  readonly removal: Removal;
  gate: Promise<unknown> = Promise.resolve();
  fails = false;

  constructor(...keys: string[]) {
    this.keys = new Set(keys);
    this.removal = new Removal({
      keys: (after, limit) => this.#list(after, limit),
      remove: (key) => void this.keys.delete(key),
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
  await shelf.removal.run(`${PHOTO}#top`);
  expect([...shelf.keys]).toEqual(others);
});

test('of more keys than are listed at a time', async () => {
  const shelf = new Shelf(...Array.from({ length: 250 }, (_, nth) => `${PHOTO} ${nth}`), `${PHOTO}/1 `);
  await shelf.removal.run(PHOTO);
  expect([...shelf.keys]).toEqual([`${PHOTO}/1 `]);
});

describe('until the keys are listed', () => {
  test('they are hidden, except those that are stored since, which stay', async () => {
    const shelf = new Shelf(`${PHOTO} `, `${PHOTO} one`);
    const listed = new Deferred();
    shelf.gate = listed.promise;
    const removing = shelf.removal.run(PHOTO);
    shelf.removal.spare(`${PHOTO} one`);
    expect([`${PHOTO} `, `${PHOTO} one`, `${PHOTO}/1 `].map((key) => shelf.removal.hides(key))).toEqual([
      true,
      false,
      false,
    ]);
    listed.resolve();
    await removing;
    expect([...shelf.keys]).toEqual([`${PHOTO} one`]);
    expect(shelf.removal.hides(`${PHOTO} `)).toBe(false);
  });

  test('a second removal takes those that were stored after the first', async () => {
    const shelf = new Shelf(`${PHOTO} `, `${PHOTO} one`);
    const listed = new Deferred();
    shelf.gate = listed.promise;
    const first = shelf.removal.run(PHOTO);
    shelf.removal.spare(`${PHOTO} `);
    const second = shelf.removal.run(PHOTO);
    expect(shelf.removal.hides(`${PHOTO} `)).toBe(true);
    listed.resolve();
    await Promise.all([first, second]);
    expect([...shelf.keys]).toEqual([]);
  });
});

test('where the keys cannot be read, the answer without headers of its own goes', async () => {
  const shelf = new Shelf(`${PHOTO} `, `${PHOTO} one`);
  shelf.fails = true;
  await shelf.removal.run(PHOTO);
  expect([...shelf.keys]).toEqual([`${PHOTO} one`]);
  expect(shelf.removal.hides(`${PHOTO} one`)).toBe(false);
});
