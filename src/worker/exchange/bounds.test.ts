import { describe, expect, test } from 'vitest';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Pool } from './bounds.ts';
import type { Owner } from './bounds.ts';

/** Work that ends when it is told to. */
class Works {
  readonly pool: Pool;
  readonly begun: number[] = [];
  readonly ended: unknown[] = [];
  readonly #ends = new Map<number, { readonly resolve: () => void; readonly reject: (why: Error) => void }>();

  constructor(most = 2, reserve = 0) {
    this.pool = new Pool({ most, reserve });
  }

  /** Of a loop, unless it says whose it is. */
  start(name: number, signal: AbortSignal = new AbortController().signal, owner: Owner = null): void {
    const work = async (): Promise<void> => {
      await this.pool.enter(owner, signal);
      this.begun.push(name);
      const end = new Promise<void>((resolve, reject) => this.#ends.set(name, { resolve, reject }));
      await end.finally(() => this.pool.leave(owner));
    };
    work().then(
      () => this.ended.push(name),
      (error: unknown) => this.ended.push(error),
    );
  }

  /** Begins so many for a page, whose names begin with a hundred of its own. */
  async startAll(owner: string, hundred: number, count: number): Promise<void> {
    for (let each = 1; each <= count; each += 1) this.start(100 * hundred + each, undefined, owner);
    await settle();
  }

  /** How many have begun of a page whose names begin so. */
  count(hundred: number): number {
    return this.begun.filter((name) => Math.floor(name / 100) === hundred).length;
  }

  async end(name: number): Promise<void> {
    this.#ends.get(name)?.resolve();
    await settle();
  }

  async fail(name: number): Promise<void> {
    this.#ends.get(name)?.reject(new Error('failed'));
    await settle();
  }
}

describe('a pool', () => {
  test('lets so many work at a time, and the others in their order', async () => {
    const works = new Works();
    for (const name of [1, 2, 3, 4, 5]) works.start(name);
    await settle();
    expect(works.begun).toEqual([1, 2]);
    await works.end(2);
    expect(works.begun).toEqual([1, 2, 3]);
    await works.end(1);
    await works.end(3);
    expect(works.begun).toEqual([1, 2, 3, 4, 5]);
    expect(works.ended).toEqual([2, 1, 3]);
  });

  test('goes on after work that fails', async () => {
    const works = new Works();
    for (const name of [1, 2, 3]) works.start(name);
    await settle();
    await works.fail(1);
    expect(works.begun).toEqual([1, 2, 3]);
    expect(works.ended).toEqual([new Error('failed')]);
  });

  test('keeps nobody who has given up, who takes nobody else’s turn', async () => {
    const works = new Works();
    const gone = new AbortController();
    works.start(1);
    works.start(2);
    works.start(3, gone.signal);
    works.start(4);
    await settle();
    gone.abort();
    await settle();
    expect(works.begun).toEqual([1, 2, 3]);
    await works.end(3);
    expect(works.begun).toEqual([1, 2, 3]);
    await works.end(1);
    expect(works.begun).toEqual([1, 2, 3, 4]);
    works.start(5, gone.signal);
    await settle();
    expect(works.begun).toEqual([1, 2, 3, 4, 5]);
  });
});

describe('pages that share a pool', () => {
  test('find room however much another one asks for', async () => {
    const works = new Works(12);
    await works.startAll('greedy', 1, 50);
    expect(works.count(1)).toBe(6);
    await works.startAll('other', 2, 2);
    expect(works.count(2)).toBe(2);
    await works.startAll('third', 3, 1);
    expect(works.count(3)).toBe(1);
  });

  test('have equal shares in the end', async () => {
    const works = new Works(12);
    await works.startAll('one', 1, 50);
    await works.startAll('other', 2, 50);
    for (const name of [101, 102, 103, 104]) await works.end(name);
    const shares = [works.count(1) - 4, works.count(2)];
    expect(Math.abs((shares[0] ?? 0) - (shares[1] ?? 0))).toBeLessThanOrEqual(1);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(4);
  });

  test('take turns, each in its own order', async () => {
    const works = new Works(4);
    for (const [hundred, page] of ['a', 'b', 'c'].entries()) await works.startAll(page, hundred + 1, 4);
    while (works.begun.length < 12) await works.end(works.begun[works.ended.length] ?? 0);
    const turns = works.begun.map((name) => Math.floor(name / 100));
    for (const hundred of [1, 2, 3]) {
      const places = turns.flatMap((each, place) => (each === hundred ? [place] : []));
      expect(Math.max(...places.slice(1).map((place, index) => place - (places[index] ?? 0)))).toBeLessThan(
        6,
      );
    }
    for (const hundred of [1, 2, 3]) {
      const names = works.begun.filter((name) => Math.floor(name / 100) === hundred);
      expect(names).toEqual(names.toSorted((one, other) => one - other));
    }
  });

  test('leave to loops what is reserved for them', async () => {
    const works = new Works(12, 4);
    for (let page = 1; page <= 20; page += 1) await works.startAll(`page ${page}`, page, 20);
    expect(works.begun).toHaveLength(8);
    for (const loop of [1, 2, 3, 4, 5]) works.start(loop);
    await settle();
    expect(works.begun.filter((name) => name < 100)).toEqual([1, 2, 3, 4]);
  });
});
