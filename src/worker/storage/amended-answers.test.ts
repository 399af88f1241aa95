import { describe, expect, test, vi } from 'vitest';
import { AmendedStage, range } from './amended-stage.fixture.ts';
import { amended, recordOf, SIZE, state, stepTo, WEIGHT, whole } from './states.fixture.ts';

describe('a change', () => {
  test('writes itself, and no body', async () => {
    const stage = await new AmendedStage().reach(1);
    await stage.put('bodies', 'untouched', 'a');
    await stage.goOn(2, 4);
    expect(await stage.patches()).toEqual([1, 2, 3]);
    const body: unknown = await stage.database.transact(['bodies'], 'readonly', (transaction) =>
      transaction.objectStore('bodies').get('a'),
    );
    expect(body).toBe('untouched');
    expect(await stage.bytes()).toBe(SIZE + 3 * WEIGHT);
  });

  test.each([2, 5, 9, 40, 100])('is there in the worker’s next life: state %i', async (n) => {
    const stage = await new AmendedStage().reach(n, 5_000);
    const later = stage.nextLife();
    expect(await later.find('a')).toEqual(recordOf('a', n));
    expect(await later.body(recordOf('a', n))).toEqual(state(n).buffer);
    await later.update('a', amended('a', n + 1));
    expect(await later.body(recordOf('a', n + 1))).toEqual(state(n + 1).buffer);
  });

  test('that is not worth it is stored as the whole', async () => {
    const stage = await new AmendedStage().reach(2);
    const runs = [...stepTo(3).runs, ...Array.from({ length: 200 }, () => 0)];
    await stage.answers.update('a', amended('a', 3, { change: { ...stepTo(3), runs } }));
    expect([await stage.patches(), await stage.bytes()]).toEqual([[], SIZE]);
    expect(await stage.answers.body(recordOf('a', 3))).toEqual(state(3).buffer);
  });

  test('that makes another number of bytes is stored as the whole', async () => {
    const stage = await new AmendedStage().reach(2);
    await stage.answers.update('a', amended('a', 3, { change: { ...stepTo(3), size: SIZE - 1 } }));
    expect(await stage.patches()).toEqual([]);
    expect(await stage.answers.body(recordOf('a', 3))).toEqual(state(3).buffer);
  });

  test('asks nobody for a whole that is not stored', async () => {
    const stage = await new AmendedStage().reach(1);
    const body = vi.fn<() => ArrayBuffer>();
    await stage.answers.update('a', amended('a', 2, { body }));
    expect(body).not.toHaveBeenCalled();
    expect(await stage.answers.body(recordOf('a', 2))).toEqual(state(2).buffer);
  });
});

describe('compaction', () => {
  test('waits for a quarter of the snapshot, and a minute', async () => {
    // The ninth change is beyond a quarter of the snapshot, the thirteenth comes a minute after the first.
    const stage = await new AmendedStage().reach(13, 5_000);
    expect(await stage.patches()).toEqual(range(1, 12));
    await stage.goOn(14, 14);
    expect([await stage.patches(), await stage.bytes()]).toEqual([[], SIZE]);
    expect(await stage.nextLife().body(recordOf('a', 14))).toEqual(state(14).buffer);
  });

  test('waits for a quarter though it be later than a minute', async () => {
    const stage = await new AmendedStage().reach(9, 60_000);
    expect(await stage.patches()).toEqual(range(1, 8));
    await stage.goOn(10, 10);
    expect(await stage.patches()).toEqual([]);
  });

  test('does not wait any longer once the log is as large as the snapshot', async () => {
    const stage = await new AmendedStage().reach(36);
    expect(await stage.patches()).toEqual(range(1, 35));
    await stage.goOn(37, 37);
    expect(await stage.patches()).toEqual([]);
  });

  test('waits for what its origin has written for others, and other origins do not', async () => {
    const stage = new AmendedStage();
    for (const key of ['a', 'b', 'c']) await stage.reach(9, 0, key);
    await stage.system.clock.advance(60_000);
    await stage.goOn(10, 10, 0, 'a');
    const elsewhere = recordOf('c', 10, { url: 'https://other.example/c' });
    await stage.goOn(10, 10, 0, 'b');
    await stage.answers.update('c', amended('c', 10, { stored: elsewhere }));
    const counts = await Promise.all(['a', 'b', 'c'].map(async (key) => (await stage.patches(key)).length));
    expect(counts).toEqual([0, 9, 0]);
    // 4,000 bytes are paid off in 4 ms.
    await stage.system.clock.advance(4);
    await stage.goOn(11, 11, 0, 'b');
    expect(await stage.patches('b')).toEqual([]);
  });

  test('begins again after a whole answer', async () => {
    const stage = await new AmendedStage().reach(13, 5_000);
    await stage.answers.update('a', whole('a', 14));
    await stage.goOn(15, 24);
    expect(await stage.patches()).toEqual(range(1, 10));
  });

  test('comes before an answer and its log are more than everything', async () => {
    const stage = await new AmendedStage(undefined, 1_024 + SIZE + 2 * WEIGHT).reach(3);
    expect(await stage.patches()).toEqual([1, 2]);
    await stage.goOn(4, 4);
    expect(await stage.patches()).toEqual([]);
    expect(await stage.answers.body(recordOf('a', 4))).toEqual(state(4).buffer);
  });
});
