import { expect, test } from 'vitest';
import { FakeSystem } from '../platform/system.fixture.ts';
import { FullDatabase } from './full-database.fixture.ts';
import type { StoreName, Transaction } from './database.ts';
import { IdbLoops } from './idb-loops.ts';
import { IdbResponses } from './idb-responses.ts';
import { loop } from './loop-record.fixture.ts';
import { orderOf, record, replaceBy } from './record.fixture.ts';
import { WriteBehind } from './write-behind.ts';

/** A browser that has room for small values alone, whatever is removed: Chromium tidies up later. */
class NarrowDatabase extends FullDatabase {
  isNarrow = false;

  override transact<Mode extends 'readonly' | 'readwrite', T>(
    stores: readonly StoreName[],
    mode: Mode,
    work: (transaction: Transaction<Mode>) => Promise<T>,
  ): Promise<T> {
    return super.transact(stores, mode, async (transaction) => {
      let isLarge = false;
      const spying = new Proxy(transaction, {
        get(object, name) {
          const member: unknown = Reflect.get(object, name);
          if (name !== 'objectStore' || typeof member !== 'function') return member;
          return (store: StoreName) => {
            const opened: object = Reflect.apply(member, object, [store]);
            return new Proxy(opened, {
              get(target, method) {
                const value: unknown = Reflect.get(target, method);
                if (typeof value !== 'function') return value;
                return (...given: unknown[]) => {
                  if (method === 'put' && sizeOf(given[0]) > 50_000) isLarge = true;
                  return Reflect.apply(value, target, given);
                };
              },
            });
          };
        },
      });
      const result = await work(spying);
      if (this.isNarrow && isLarge) throw new DOMException('full', 'QuotaExceededError');
      return result;
    });
  }
}

function sizeOf(value: unknown): number {
  return value instanceof ArrayBuffer ? value.byteLength : (Object(value).body?.byteLength ?? 0);
}

async function narrow() {
  const [system, database] = [new FakeSystem(), new NarrowDatabase()];
  const answers = new IdbResponses(system, database);
  for (let n = 0; n < 64; n += 1)
    await answers.update(`stored ${n}`, replaceBy(record(`stored ${n}`, 10_000)));
  database.isNarrow = true;
  return { system, database, answers };
}

test('a large answer that finds no room costs half of the others once, though small ones are stored meanwhile', async () => {
  const { system, answers } = await narrow();
  const behind = new WriteBehind(
    system,
    async () => answers,
    async () => {},
  );
  const left: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    expect(await behind.add(orderOf(record('large', 100_000)))).toBe(false);
    await behind.settled();
    left.push((await answers.keys()).length);
  }
  expect(left).toEqual([32, 32, 32, 32, 32]);
});

class FilledDatabase extends FullDatabase {
  isFilled = false;
  constructor() {
    super();
    Object.defineProperty(this, 'isFull', { get: () => this.isFilled, set: () => {} });
  }
}

test('states of loops that are refused together cost half of the answers once', async () => {
  const [system, database] = [new FakeSystem(), new FilledDatabase()];
  const answers = new IdbResponses(system, database);
  for (let n = 0; n < 64; n += 1) await answers.update(`stored ${n}`, replaceBy(record(`stored ${n}`, 100)));
  database.isFilled = true;
  const loops = new IdbLoops(system.clock, database);
  await Promise.allSettled(['a', 'b', 'c', 'd'].map((key) => loops.save(loop(key), null)));
  expect(await answers.keys()).toHaveLength(32);
});
