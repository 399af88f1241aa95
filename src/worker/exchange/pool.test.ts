import { describe, expect, test } from 'vitest';
import { settle } from '../virtual-clock.fixture.ts';
import { Pool } from './pool.ts';

/** Work that ends when it is told to. */
class Works {
  readonly pool: Pool = new Pool(2);
  readonly begun: number[] = [];
  readonly ended: unknown[] = [];
  readonly #ends = new Map<number, { readonly resolve: () => void; readonly reject: (why: Error) => void }>();

  start(name: number, signal: AbortSignal = new AbortController().signal): void {
    const work = (): Promise<void> => {
      this.begun.push(name);
      return new Promise((resolve, reject) => this.#ends.set(name, { resolve, reject }));
    };
    this.pool.run(signal, work).then(
      () => this.ended.push(name),
      (error: unknown) => this.ended.push(error),
    );
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
