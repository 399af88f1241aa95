import { expect, test } from 'vitest';
import type { Answer } from '../../shared/outcome.ts';
import { leftOut } from '../../shared/outbox.ts';
import { write } from '../outbox/write.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { BODY, World } from './copied-outbox.fixture.ts';
import { HangingFactory } from './hanging-database.fixture.ts';
import { storedSizeOf } from './waiting-write-shape.ts';

/** How many transactions it takes to get back two hundred refused writes after a loss. */
async function transactionsFor(answer: Answer | null): Promise<number> {
  const world = new World();
  const disk = new HangingFactory();
  const before = world.engine();
  await before.copy.keep(
    Array.from({ length: 200 }, (_, n) => ({
      write: write(n + 1, { entry: `entry ${n}`, key: `key ${n}`, state: 'review', answer }),
      body: BODY,
    })),
  );
  world.indexedDB = disk;
  const { outbox } = world.engine();
  const all = await outbox.all();
  expect(all).toMatchObject({ kind: 'found', value: { length: 200 } });
  await settle();
  return disk.begun;
}

test('answers that were left out make the taking back of their writes no longer', async () => {
  const few = await transactionsFor(null);
  expect(await transactionsFor({ status: 422, headers: [], body: leftOut(300_000) })).toBeLessThan(2 * few);
});

test('the text of an answer that could not be read counts', () => {
  const answer = { status: 422, headers: [], body: { kind: 'value', value: 'x'.repeat(300) } } as const;
  expect(storedSizeOf({ answer })).toBe(300);
});
