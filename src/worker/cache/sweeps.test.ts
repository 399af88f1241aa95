import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { Deferred } from '../platform/waiting.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { Sweep } from './sweeps.ts';

const PHOTO = 'https://page.example/photo';

/** A storage with keys in order, which answers as soon as it is let. */
class Shelf {
  readonly keys: Set<string>;
  readonly sweep: Sweep;
  gate: Promise<unknown> = Promise.resolve();
  fails = false;

  constructor(...keys: string[]) {
    this.keys = new Set(keys);
    this.sweep = new Sweep({
      keys: (after, limit) => this.#list(after, limit),
      within: (url) => `${url.split('#')[0]} `,
      find: null,
      act: async (key) => {
        this.keys.delete(key);
        return true;
      },
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

describe('where the keys cannot be read', () => {
  test('the answer without headers of its own goes, and the others are covered until they can be read', async () => {
    const shelf = new Shelf(`${PHOTO} `, `${PHOTO} one`, `${PHOTO} two`);
    shelf.fails = true;
    await shelf.sweep.run(PHOTO);
    shelf.sweep.spare(`${PHOTO} two`);
    expect([...shelf.keys]).toEqual([`${PHOTO} one`, `${PHOTO} two`]);
    await shelf.sweep.resume();
    expect(shelf.sweep.covers(`${PHOTO} one`)).toBe(true);
    shelf.fails = false;
    await shelf.sweep.resume();
    expect([...shelf.keys]).toEqual([`${PHOTO} two`]);
    expect([shelf.sweep.covers(`${PHOTO} one`), shelf.sweep.size]).toEqual([false, 0]);
  });

  test('as many URLs are remembered as the limit says, and of each as many answers since', async () => {
    const shelf = new Shelf();
    shelf.fails = true;
    for (let nth = 0; nth <= LIMITS.swept; nth += 1) await shelf.sweep.run(`${PHOTO}/${nth}`);
    expect(shelf.sweep.size).toBe(LIMITS.swept);
    expect([0, 1].map((nth) => shelf.sweep.covers(`${PHOTO}/${nth} `))).toEqual([false, true]);
    for (let nth = 0; nth <= LIMITS.swept; nth += 1) shelf.sweep.spare(`${PHOTO}/1 ${nth}`);
    expect([0, LIMITS.swept].map((nth) => shelf.sweep.covers(`${PHOTO}/1 ${nth}`))).toEqual([true, false]);
  });

  test('nothing is left to do once everything was cleared', async () => {
    const shelf = new Shelf();
    shelf.fails = true;
    await shelf.sweep.run(PHOTO);
    shelf.sweep.clear();
    expect([shelf.sweep.size, shelf.sweep.covers(`${PHOTO} `)]).toEqual([0, false]);
  });
});

describe('below a base', () => {
  /** A store of these keys; `asked` counts how many were listed. */
  class Stage {
    readonly keys: string[];
    readonly outdated: string[] = [];
    listed = 0;
    fails = false;
    /** True if the storage cannot tell of a single key. */
    lacks = false;
    /** Called before each list is given. */
    meanwhile: () => void = () => {};
    readonly sweep: Sweep = new Sweep({
      keys: async (after, limit): Promise<Lookup<readonly string[]>> => {
        await Promise.resolve();
        this.meanwhile();
        if (this.fails) return { kind: 'unknown', error: new Error('late') };
        const value = this.keys.filter((key) => key > after).slice(0, limit);
        this.listed += value.length;
        return value.length === 0 ? { kind: 'absent' } : { kind: 'found', value };
      },
      within: (url) => `${url} `,
      find: null,
      act: async (key) => {
        this.outdated.push(key);
        return !this.lacks;
      },
    });

    constructor(...urls: readonly string[]) {
      this.keys = urls.map((url) => `${url} `).toSorted();
    }
  }

  const BELOW = { prefixes: ['/photo/'] };
  const PHOTOS = { prefixes: ['/photos ', '/photos?'] };

  test('all that begins with the base is outdated, with any headers, and nothing else', async () => {
    const stage = new Stage('/photo', '/photo/1', '/photo/1/big', '/photo/2', '/photos', '/zoo');
    stage.keys.push('/photo/2 digest');
    stage.keys.sort();
    await stage.sweep.run(BELOW);
    expect(stage.outdated).toEqual(['/photo/1 ', '/photo/1/big ', '/photo/2 ', '/photo/2 digest']);
  });

  test('of a template without expressions it is the URL with any query', async () => {
    const stage = new Stage('/photo', '/photos', '/photos/1', '/photos2', '/photos?page=2');
    await stage.sweep.run(PHOTOS);
    expect(stage.outdated).toEqual(['/photos ', '/photos?page=2 ']);
  });

  test('a thousand of them are found, and a hundred thousand others are not listed', async () => {
    const many = Array.from({ length: 1_000 }, (_, id) => `/photo/${id}`);
    const others = Array.from({ length: 100_000 }, (_, id) => `/${id % 2 === 0 ? 'a' : 'z'}/${id}`);
    const stage = new Stage(...many, ...others);
    await stage.sweep.run(BELOW);
    expect(stage.outdated).toHaveLength(1_000);
    expect(stage.listed).toBeLessThan(1_200);
  });

  test('they count as outdated at once, but for those that are stored meanwhile', async () => {
    const stage = new Stage('/photo/1', '/photo/2');
    stage.meanwhile = () => stage.sweep.spare('/photo/2 ');
    const running = stage.sweep.run(BELOW);
    expect(['/photo/1 ', '/photo/9 ', '/other '].map((key) => stage.sweep.covers(key))).toEqual([
      true,
      true,
      false,
    ]);
    await running;
    expect(stage.outdated).toEqual(['/photo/1 ']);
    expect(stage.sweep.covers('/photo/1 ')).toBe(false);
  });

  test('a storage that cannot tell is asked again when it answers', async () => {
    const stage = new Stage('/photo/1');
    stage.fails = true;
    await stage.sweep.run(BELOW);
    expect([stage.outdated, stage.sweep.covers('/photo/1 ')]).toEqual([[], true]);
    stage.fails = false;
    stage.lacks = true;
    await stage.sweep.resume();
    expect(stage.sweep.covers('/photo/1 ')).toBe(true);
    stage.lacks = false;
    await stage.sweep.resume();
    expect(stage.sweep.covers('/photo/1 ')).toBe(false);
  });
});

/** A storage of 250 answers, whose keys tell nothing of their URLs. */
function hidden(): { readonly keys: Set<string>; readonly sweep: Sweep } {
  const urls = new Map(
    Array.from({ length: 250 }, (_, n) => [`${n} `, n % 2 === 0 ? `${PHOTO}/${n}` : `${PHOTO}s`]),
  );
  const keys = new Set(urls.keys());
  const sweep = new Sweep({
    keys: async (after, limit) => ({
      kind: 'found',
      value: [...urls.keys()]
        .toSorted()
        .filter((key) => key > after)
        .slice(0, limit),
    }),
    within: async (url) => [...urls].find(([, each]) => each === url)?.[0] ?? 'none ',
    find: async (key) => ({ kind: 'found', value: { url: urls.get(key) ?? '' } }),
    act: async (key) => {
      keys.delete(key);
      return true;
    },
  });
  return { keys, sweep };
}

describe('where keys call URLs by digests', () => {
  test('those with the digest of the URL go', async () => {
    const { keys, sweep } = hidden();
    await sweep.run(`${PHOTO}/4`);
    expect([keys.size, keys.has('4 ')]).toEqual([249, false]);
  });

  test('each is read for a base, and all are covered meanwhile', async () => {
    const { keys, sweep } = hidden();
    const running = sweep.run({ prefixes: [`${PHOTO}/`] });
    sweep.spare('2 ');
    expect(['0 ', '1 ', '2 '].map((key) => sweep.covers(key))).toEqual([true, true, false]);
    await running;
    expect([keys.size, keys.has('2 '), keys.has('0 ')]).toEqual([126, true, false]);
    expect(sweep.covers('0 ')).toBe(false);
  });
});
