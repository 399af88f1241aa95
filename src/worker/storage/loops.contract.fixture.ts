import { describe, expect, test } from 'vitest';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import type { IdbLoops } from './idb-loops.ts';
import { entry, loop } from './loop-record.fixture.ts';
import type { MemoryLoops } from './loops.ts';

type Loops = IdbLoops | MemoryLoops;

const MEBIBYTE = 1_048_576;
const DAY = 24 * 60 * 60 * 1_000;

/** The tests of every storage for loops. `make` makes an empty one. */
export function describeLoops(name: string, make: (clock: VirtualClock) => Loops): void {
  const empty = (): Loops => make(new VirtualClock());
  /** The stored loop `a`, so many milliseconds after its use, once another loop is saved. */
  const after = async (
    wait: number,
    use: (now: number) => Parameters<typeof loop>[1] = () => ({}),
  ): Promise<unknown> => {
    const clock = new VirtualClock();
    const loops = make(clock);
    await loops.append(loop('a', { last: 1, ...use(clock.now()) }), entry(1), null);
    await clock.advance(wait);
    await loops.save(loop('b'), null);
    const [record, kept] = [await loops.find('a'), await numbers(loops)];
    expect(await loops.find('b')).not.toBeNull();
    return record && kept;
  };

  describe(`records of loops in ${name}`, () => {
    test('nothing is known of what was never saved', async () => {
      const loops = empty();
      expect(await loops.find('a')).toBeNull();
      expect(await loops.entries('a', 0, 10)).toEqual([]);
      await loops.prune('a', 10, 0, null);
      expect(await loops.find('a')).toBeNull();
    });

    test('what was saved last is found', async () => {
      const loops = empty();
      const failing = loop('a', { failures: 3, failure: { code: 'network', message: 'gone' }, cursor: '7' });
      await loops.save(loop('a'), null);
      expect(await loops.find('a')).toEqual(loop('a'));
      await loops.save(failing, null);
      expect(await loops.find('a')).toEqual(failing);
      expect(await loops.find('b')).toBeNull();
    });

    test('saving leaves the entries of its log alone', async () => {
      const loops = await filled(empty(), 3);
      await loops.save(loop('a', { failures: 1, last: 3 }), null);
      expect(await numbers(loops)).toEqual([1, 2, 3]);
      expect(await loops.append(loop('a', { last: 4 }), entry(4), null)).toBe(1);
    });

    test('a key may be any text', async () => {
      const loops = empty();
      const keys = ['__proto__', 'constructor', 'toString', '', 'a\u0000b'];
      for (const key of keys) expect(await loops.find(key)).toBeNull();
      for (const key of keys) await loops.append(loop(key, { last: 1, cursor: key }), entry(1), null);
      for (const key of keys) {
        expect((await loops.find(key))?.cursor).toBe(key);
        expect(await numbers(loops, key)).toEqual([1]);
      }
    });
  });

  describe(`entries of feeds in ${name}`, () => {
    test('an answer is stored with the place after it', async () => {
      const loops = empty();
      expect(await loops.append(loop('a', { cursor: '1', last: 1 }), entry(1), null)).toBe(1);
      expect(await loops.append(loop('a', { cursor: '2', last: 2 }), entry(2), null)).toBe(1);
      expect(await loops.find('a')).toEqual(loop('a', { cursor: '2', last: 2 }));
      expect(await loops.entries('a', 0, 10)).toEqual([entry(1), entry(2)]);
    });

    test('it is known when it came, and what all had by then', async () => {
      const loops = empty();
      const [record, answer] = [
        loop('a', { last: 1, acknowledged: 0 }),
        { ...entry(1), receivedAt: 1_700_000_000_000 },
      ];
      await loops.append(record, answer, null);
      expect([await loops.find('a'), await loops.entries('a', 0, 10)]).toEqual([record, [answer]]);
    });

    test('neither is, where the answer cannot be', async () => {
      const loops = await filled(empty(), 2);
      const answer = { status: 200, headers: [], body: { kind: 'value', value: (): void => {} } } as const;
      const impossible = { ...entry(3), outcome: answered({ answer }) };
      await expect(loops.append(loop('a', { cursor: '3', last: 3 }), impossible, null)).rejects.toThrow(
        'could not be cloned',
      );
      expect(await loops.find('a')).toEqual(loop('a', { cursor: '2', last: 2 }));
      expect(await loops.entries('a', 0, 10)).toEqual([entry(1), entry(2)]);
      expect(await loops.append(loop('a', { last: 3 }), entry(3), null)).toBe(1);
    });

    test('they come in order, those after a number, so many at most', async () => {
      const loops = await filled(empty(), 12);
      expect(await numbers(loops)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      expect(await numbers(loops, 'a', 9)).toEqual([10, 11, 12]);
      expect(await numbers(loops, 'a', 2, 3)).toEqual([3, 4, 5]);
      expect(await numbers(loops, 'a', 12)).toEqual([]);
      expect(await numbers(loops, 'a', 0, 0)).toEqual([]);
    });

    test('pruned ones are gone, and count no more', async () => {
      const loops = await filled(empty(), 4, 2 * MEBIBYTE);
      await loops.prune('a', 2, 0, null);
      expect(await numbers(loops)).toEqual([3, 4]);
      expect(await loops.find('a')).toEqual(loop('a', { cursor: '4', last: 4 }));
      expect(await loops.append(loop('a', { last: 5 }), entry(5, 4 * MEBIBYTE), null)).toBe(3);
      await loops.prune('a', 2, 0, null);
      expect(await numbers(loops)).toEqual([3, 4, 5]);
      await loops.prune('a', 99, 0, null);
      expect(await numbers(loops)).toEqual([]);
      expect(await loops.append(loop('a', { last: 6 }), entry(6), null)).toBe(6);
    });

    test('what is to go later goes when that is over, in whatever life', async () => {
      const clock = new VirtualClock();
      const loops = await filled(make(clock), 3);
      await loops.prune('a', 2, 15_000, null);
      await clock.advance(14_000);
      await loops.prune('a', 3, 15_000, null);
      expect(await numbers(loops)).toEqual([1, 2, 3]);
      await clock.advance(1_000);
      await loops.prune('a', 3, 15_000, null);
      expect(await numbers(loops)).toEqual([3]);
      expect(await loops.append(loop('a', { last: 4 }), entry(4), null)).toBe(3);
      await clock.advance(15_000);
      await loops.prune('a', 3, 15_000, null);
      expect(await numbers(loops)).toEqual([4]);
    });

    // Each is a transaction of its own.
    test('of more than 1,000 the oldest go', { timeout: 60_000 }, async () => {
      const loops = await filled(empty(), 1_000);
      expect(await numbers(loops, 'a', 0, 1)).toEqual([1]);
      expect(await loops.append(loop('a', { last: 1_001 }), entry(1_001), null)).toBe(2);
      const kept = await numbers(loops, 'a', 0, 2_000);
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([1_000, 2, 1_001]);
    });

    test('of more than 8 MiB the oldest go, but the newest stays whatever its size', async () => {
      const loops = await filled(empty(), 4, 2 * MEBIBYTE);
      expect(await loops.append(loop('a', { last: 5 }), entry(5, 3 * MEBIBYTE), null)).toBe(3);
      expect(await numbers(loops)).toEqual([3, 4, 5]);
      expect(await loops.append(loop('a', { last: 6 }), entry(6, 9 * MEBIBYTE), null)).toBe(6);
      expect(await numbers(loops)).toEqual([6]);
    });

    test('two logs do not touch each other', async () => {
      const loops = empty();
      for (const key of ['a', 'a!', 'b', '']) await filled(loops, 3, 2 * MEBIBYTE, key);
      await loops.append(loop('a', { last: 4 }), entry(4, 8 * MEBIBYTE), null);
      await loops.prune('b', 2, 0, null);
      await loops.prune('', 3, 0, null);
      const all = await Promise.all(['a', 'a!', 'b', ''].map((key) => numbers(loops, key)));
      expect(all).toEqual([[4], [1, 2, 3], [3], []]);
    });

    test('those of the log before are gone once another is named', async () => {
      const loops = await filled(empty(), 5);
      expect(await loops.append(loop('a', { log: 'log 2', last: 1 }), entry(1), null)).toBe(1);
      expect(await numbers(loops)).toEqual([1]);
      await loops.save(loop('a', { log: 'log 3' }), null);
      expect(await numbers(loops)).toEqual([]);
    });

    test('those that the newest does not follow are gone: nobody is to pass over what is missing', async () => {
      const loops = await filled(empty(), 3);
      expect(await loops.append(loop('a', { last: 6 }), entry(6), null)).toBe(6);
      expect(await numbers(loops)).toEqual([6]);
    });

    test('an answer comes back as it was, be it bytes, a failure or odd names', async () => {
      const loops = empty();
      const bytes = new Uint8Array([0, 127, 255]).buffer;
      const value: unknown = JSON.parse(
        '{"__proto__":{"a":1},"constructor":null,"list":[1,{"b":"\\u0000"}]}',
      );
      const outcomes = [
        answered({
          answer: { status: 206, headers: [['a', 'b']], body: { kind: 'bytes', bytes, type: 'a/b' } },
        }),
        answered({ answer: { status: 200, headers: [], body: { kind: 'value', value } } }),
        answered({ answer: { status: 204, headers: [], body: { kind: 'value', value: undefined } } }),
        answered({ servedFrom: 'cache', stale: true, age: 0.5, revision: { lineage: 'l', number: 3 } }),
        failed('network'),
      ];
      for (const [index, outcome] of outcomes.entries())
        await loops.append(loop('a', { last: index + 1 }), { offset: index + 1, outcome, size: 1 }, null);
      const found = await loops.entries('a', 0, 10);
      expect(found.map(({ outcome }) => outcome)).toStrictEqual(outcomes);
      expect(JSON.stringify(found[1]?.outcome)).toContain(JSON.stringify(value));
    });

    test('bytes that were stored or given may be transferred away', async () => {
      const loops = empty();
      const bytes = new Uint8Array([1, 2, 3]).buffer;
      const outcome = answered({
        answer: { status: 200, headers: [], body: { kind: 'bytes', bytes, type: '' } },
      });
      await loops.append(loop('a', { last: 1 }), { offset: 1, outcome, size: 3 }, null);
      structuredClone(bytes, { transfer: [bytes] });
      for (const expected of [3, 3]) {
        const [found] = await loops.entries('a', 0, 1);
        const body = found?.outcome.kind === 'answered' ? found.outcome.answer.body : null;
        const given = body?.kind === 'bytes' ? body.bytes : new ArrayBuffer(0);
        expect(given.byteLength).toBe(expected);
        structuredClone(given, { transfer: [given] });
      }
    });

    test('appending to one log and saving another at once does both', async () => {
      const loops = empty();
      await Promise.all([filled(loops, 5), loops.save(loop('b'), null), filled(loops, 5, 10, 'c')]);
      expect(await numbers(loops)).toEqual([1, 2, 3, 4, 5]);
      expect(await numbers(loops, 'c')).toEqual([1, 2, 3, 4, 5]);
      expect(await loops.find('b')).toEqual(loop('b'));
    });
  });

  describe(`loops that nobody uses any more in ${name}`, () => {
    test('are removed with their entries, seven days after they were written last', async () => {
      expect(await after(7 * DAY + 1)).toBeNull();
      expect(await after(7 * DAY)).toEqual([1]);
    });

    test('or after the time that they were to wait for', async () => {
      expect(await after(7 * DAY + 2, (now) => ({ notBefore: now + 1 }))).toBeNull();
      expect(await after(7 * DAY + 1, (now) => ({ notBefore: now + 1 }))).toEqual([1]);
    });

    test('are there for a week though they have never been answered: a page may have begun in their feed', async () => {
      expect(await after(DAY, () => ({ answeredAt: 0 }))).toEqual([1]);
    });

    test('are not in use because of what is removed from them', async () => {
      const clock = new VirtualClock();
      const loops = await filled(make(clock), 2);
      await clock.advance(7 * DAY);
      await loops.prune('a', 1, 0, null);
      await clock.advance(1);
      await loops.save(loop('b'), null);
      expect(await loops.find('a')).toBeNull();
    });

    test('is looked for once a day, not with each save', async () => {
      const clock = new VirtualClock();
      const loops = make(clock);
      const found: boolean[] = [];
      await loops.save(loop('a'), null);
      await clock.advance(6 * DAY + 2_000);
      await loops.save(loop('b'), null);
      for (const passed of [DAY - 1_000, 1_000]) {
        await clock.advance(passed);
        await loops.save(loop('b'), null);
        found.push((await loops.find('a')) !== null);
      }
      expect(found).toEqual([true, false]);
    });

    test('are spared where they are just taken up again', async () => {
      const clock = new VirtualClock();
      const loops = await filled(make(clock), 2);
      await clock.advance(30 * DAY);
      expect(await loops.append(loop('a', { last: 3 }), entry(3), null)).toBe(1);
      expect(await numbers(loops)).toEqual([1, 2, 3]);
    });

    test('leave nothing of their log for another of the same key', async () => {
      const clock = new VirtualClock();
      const loops = await filled(make(clock), 5);
      await clock.advance(8 * DAY);
      await loops.save(loop('b'), null);
      expect(await loops.append(loop('a', { last: 2 }), entry(2), null)).toBe(2);
      expect(await numbers(loops)).toEqual([2]);
    });
  });
}

/** With so many entries in the log of that key. */
async function filled(loops: Loops, count: number, size = 10, key = 'a'): Promise<Loops> {
  for (let n = 1; n <= count; n += 1)
    await loops.append(loop(key, { cursor: `${n}`, last: n }), entry(n, size), null);
  return loops;
}

async function numbers(loops: Loops, key = 'a', after = 0, limit = 100): Promise<number[]> {
  return (await loops.entries(key, after, limit)).map(({ offset }) => offset);
}
