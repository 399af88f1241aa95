import { describe, expect, test } from 'vitest';
import { StaleGeneration } from '../platform/database-deadline.ts';
import { MemoryLoops } from '../storage/loops.ts';
import { stateOf, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { said } from '../feeds/feed.fixture.ts';
import type { FeedEntry, LoopStore } from '../contracts/loop-store.ts';
import { foundIn } from '../contracts/response-store.ts';
import { storeIn } from '../contracts/loop-store.fixture.ts';
import { DurableState } from './durable-state.ts';

/** A storage that may be told to reject, or not to answer at all. */
class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly stored: MemoryLoops = new MemoryLoops(this.clock);
  generation: number | null = 1;
  key: () => Promise<string> = async () => 'key';
  fails: (method: keyof LoopStore) => 'reject' | 'hang' | null = () => null;
  /** What was written, and in which generation. */
  readonly written: unknown[] = [];
  #names = 0;

  memory(): DurableState {
    return new DurableState({
      clock: this.clock,
      store: this.#store(),
      generation: () => this.generation,
      key: () => this.key(),
      uuid: () => `log ${(this.#names += 1)}`,
    });
  }

  #store(): LoopStore {
    const { stored } = this;
    const write = <T>(method: keyof LoopStore, own: number | null, work: () => Promise<T>): Promise<T> => {
      this.written.push([method, own]);
      return this.#try(method, work);
    };
    return {
      find: (key) => this.#try('find', () => storeIn(stored).find(key)),
      save: (record, own) => write('save', own, () => stored.save(record)),
      append: (record, each, own) => write('append', own, () => stored.append(record, each)),
      entries: (...range) => this.#try('entries', () => storeIn(stored).entries(...range)),
      prune: (key, upTo, patience, own) => write('prune', own, () => stored.prune(key, upTo, patience)),
    };
  }

  async #try<T>(method: keyof LoopStore, work: () => Promise<T>): Promise<T> {
    const how = this.fails(method);
    if (how === 'reject') throw new StaleGeneration(1, 2);
    return how === 'hang' ? new Promise(() => {}) : work();
  }
}

function entry(offset: number): FeedEntry {
  return { offset, outcome: said(offset), size: 1 };
}

/** With two answers stored, by an engine of generation 1. */
async function filled(): Promise<Stage> {
  const stage = new Stage();
  const memory = stage.memory();
  await memory.renew();
  for (const n of [1, 2]) await memory.append({ cursor: `${n}`, answeredAt: stage.clock.now() }, entry(n));
  stage.written.length = 0;
  return stage;
}

describe('what is recalled', () => {
  test('is what was stored, log and all', async () => {
    const stage = await filled();
    const memory = stage.memory();
    await memory.recall();
    expect(memory.record).toMatchObject({ cursor: '2', log: 'log 1', last: 2 });
  });

  test.each(['reject', 'hang'] as const)(
    'is not known where the storage does %s: nothing is written until it is',
    async (how) => {
      const stage = await filled();
      stage.fails = (method) => (method === 'find' ? how : null);
      const memory = stage.memory();
      const renewed = memory.renew();
      await stage.clock.advance(3_000);
      expect([await renewed, memory.isKnown, memory.isOutdated]).toEqual(['unknown', false, true]);
      await memory.note({ failures: 2 });
      await expect(memory.append({ cursor: '3' }, entry(1))).rejects.toThrow('not known');
      expect(await memory.prune(9, 0)).toBe(false);
      expect(stage.written).toEqual([]);
      stage.fails = () => null;
      expect([await memory.renew(), memory.isKnown]).toEqual(['renewed', true]);
      const known = { cursor: '2', log: 'log 1', last: 2, failures: 2 };
      expect(memory.record).toMatchObject(known);
      expect(await stage.stored.find('key')).toMatchObject(known);
    },
  );

  test('is waited for 3 s, and what is found later counts for nothing', async () => {
    const stage = await filled();
    const finds: (() => void)[] = [];
    stage.key = () => new Promise((resolve) => finds.push(() => resolve('key')));
    const memory = stage.memory();
    const recalled = memory.recall();
    await stage.clock.advance(2_999);
    expect(await stateOf(recalled)).toBe('pending');
    await stage.clock.advance(1);
    expect(await stateOf(recalled)).toBe('fulfilled');
    finds[0]?.();
    await stage.clock.advance(0);
    expect(memory.record).toMatchObject({ cursor: null, log: 'log 2' });
  });

  test('is recalled anew once another engine may have acted', async () => {
    const stage = await filled();
    stage.generation = null;
    const resting = stage.memory();
    await resting.recall();
    const other = stage.memory();
    stage.generation = 1;
    await other.renew();
    await other.append({ cursor: '3' }, entry(3));
    stage.generation = 2;
    expect(resting.isOutdated).toBe(true);
    expect(await resting.renew()).toBe('renewed');
    expect(resting.record).toMatchObject({ cursor: '3', last: 3 });
    expect([resting.isOutdated, await resting.renew()]).toEqual([false, 'same']);
  });

  test('keeps what it remembers where nothing is stored', async () => {
    const stage = new Stage();
    const memory = stage.memory();
    await memory.recall();
    stage.generation = 2;
    await memory.renew();
    expect(memory.record.log).toBe('log 1');
  });
});

describe('a name that cannot be had', () => {
  test('is asked for again with the next read, so that no two loops share one', async () => {
    const stage = new Stage();
    let asked = 0;
    stage.key = async () => {
      asked += 1;
      if (asked === 1) throw new Error('no salt');
      return 'key';
    };
    const memory = stage.memory();
    await memory.renew();
    await memory.note({ cursor: 'a' });
    expect([await stage.stored.find(''), await stage.stored.find('key')]).toEqual([null, null]);
    await memory.renew();
    expect(await stage.stored.find('key')).toMatchObject({ key: 'key', cursor: 'a' });
  });
});

describe('a note', () => {
  test.each(['reject', 'hang'] as const)('is remembered though the storage does %s', async (how) => {
    const stage = await filled();
    const memory = stage.memory();
    await memory.renew();
    stage.fails = () => how;
    const noted = memory.note({ failures: 3 });
    await stage.clock.advance(3_000);
    expect([await stateOf(noted), memory.record.failures]).toEqual(['fulfilled', 3]);
  });

  test('is written in the generation that the record was read in', async () => {
    const stage = await filled();
    const memory = stage.memory();
    await memory.renew();
    stage.generation = null;
    await memory.note({ failures: 1 });
    await expect(memory.append({}, entry(3))).resolves.toBeUndefined();
    await memory.prune(1, 0);
    expect(stage.written).toEqual([
      ['save', 1],
      ['append', 1],
      ['prune', 1],
    ]);
  });
});

describe('a note of an engine that acts only since its record was read', () => {
  test('is written in its own generation, over what another engine has stored since', async () => {
    const stage = await filled();
    stage.generation = null;
    const memory = stage.memory();
    await memory.recall();
    const other = stage.memory();
    stage.generation = 1;
    await other.renew();
    await other.append({ cursor: '3' }, entry(3));
    stage.generation = 2;
    await memory.note({ failures: 1, notBefore: 5_000 });
    expect(stage.written.at(-1)).toEqual(['save', 2]);
    expect(await stage.stored.find('key')).toMatchObject({ failures: 1, notBefore: 5_000, cursor: '3' });
  });

  test('lets its loop know once that the record was read again', async () => {
    const stage = await filled();
    stage.generation = null;
    const memory = stage.memory();
    await memory.recall();
    stage.generation = 2;
    await memory.note({ failures: 1 });
    expect([await memory.renew(), await memory.renew()]).toEqual(['renewed', 'same']);
  });
});

describe('that an answer has come', () => {
  test('is stored once a minute', async () => {
    const stage = await filled();
    const memory = stage.memory();
    await memory.renew();
    for (let passed = 0; passed < 120; passed += 20) {
      await stage.clock.advance(20_000);
      await memory.touch(stage.clock.now());
      expect(memory.record.answeredAt).toBe(stage.clock.now());
    }
    expect(stage.written).toEqual([
      ['save', 1],
      ['save', 1],
    ]);
  });
});

describe('an answer', () => {
  test('that cannot be stored leaves everything as it was', async () => {
    const stage = await filled();
    const memory = stage.memory();
    await memory.renew();
    stage.fails = () => 'reject';
    await expect(memory.append({ cursor: '3' }, entry(3))).rejects.toThrow('Another engine acts');
    expect(memory.record).toMatchObject({ cursor: '2', last: 2 });
  });

  test('that is not stored within 3 s may have been: it is looked up before the next request', async () => {
    const stage = await filled();
    const memory = stage.memory();
    await memory.renew();
    stage.fails = () => 'hang';
    const appended = memory.append({ cursor: '3' }, entry(3));
    const state = stateOf(appended);
    await stage.clock.advance(3_000);
    expect([await state, await stateOf(appended)]).toEqual(['pending', 'rejected']);
    stage.fails = () => null;
    await stage.stored.append({ ...memory.record, key: 'key', cursor: '3', last: 3 }, entry(3));
    expect(memory.isOutdated).toBe(true);
    await memory.renew();
    expect(memory.record).toMatchObject({ cursor: '3', last: 3 });
  });

  test.each(['reject', 'hang'] as const)('is not read where the storage does %s', async (how) => {
    const stage = await filled();
    const memory = stage.memory();
    await memory.renew();
    expect(foundIn(await memory.entries(0, 1))?.map(({ offset }) => offset)).toEqual([1]);
    expect(await memory.entries(2, 1)).toEqual({ kind: 'absent' });
    stage.fails = () => how;
    const entries = memory.entries(0, 1);
    await stage.clock.advance(3_000);
    expect(await entries).toMatchObject({ kind: 'unknown' });
  });
});

test('afresh is another log without a place, but for the one that is given', async () => {
  const stage = await filled();
  const memory = stage.memory();
  await memory.renew();
  await memory.startAfresh();
  expect(memory.record).toMatchObject({ cursor: null, log: 'log 3', last: 0 });
  await memory.startAfresh({ cursor: 'a' });
  expect(await stage.stored.find('key')).toMatchObject({ cursor: 'a', log: 'log 4', last: 0 });
});

describe('an empty log', () => {
  test('is stored once under its name, so that another life finds it', async () => {
    const stage = new Stage();
    const memory = stage.memory();
    await memory.renew();
    expect([await memory.keepLog(), await memory.keepLog()]).toEqual([true, true]);
    expect(stage.written).toEqual([['save', 1]]);
    const next = stage.memory();
    await next.recall();
    expect([next.record.log, await next.keepLog()]).toEqual([memory.record.log, true]);
    expect(stage.written).toHaveLength(1);
  });

  test('that was started afresh is stored with that', async () => {
    const stage = await filled();
    const memory = stage.memory();
    await memory.renew();
    stage.fails = () => 'reject';
    await memory.startAfresh();
    expect(await memory.keepLog()).toBe(false);
    stage.fails = () => null;
    expect(await memory.keepLog()).toBe(true);
    expect(await stage.stored.find('key')).toMatchObject({ log: memory.record.log });
  });

  test('is kept by no engine that rests, and before what is stored is known', async () => {
    const stage = new Stage();
    const memory = stage.memory();
    expect(await memory.keepLog()).toBe(false);
    await memory.recall();
    stage.generation = null;
    expect(await memory.keepLog()).toBe(false);
    expect(stage.written).toEqual([]);
  });
});

test('an engine that has never acted removes nothing', async () => {
  const stage = await filled();
  const memory = stage.memory();
  await memory.recall();
  await memory.prune(2, 0);
  expect(await stage.stored.entries('key', 0, 10)).toHaveLength(2);
  await memory.renew();
  await memory.prune(2, 0);
  expect(await stage.stored.entries('key', 0, 10)).toHaveLength(0);
});
