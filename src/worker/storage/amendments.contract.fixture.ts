import { describe, expect, test } from 'vitest';
import type { IdbResponses } from './idb-responses.ts';
import type { MemoryResponses } from './responses.ts';
import { amended, recordOf, SIZE, state, whole } from './states.fixture.ts';

type Answers = IdbResponses | MemoryResponses;

/** The tests of every storage for answers that come as byte deltas. */
export function describeAmendments(name: string, make: (capacity?: number) => Answers): void {
  /** With states 1 to `n`, all but the first as byte deltas. */
  async function stored(n: number, capacity?: number): Promise<Answers> {
    const answers = make(capacity);
    await answers.update('a', whole('a', 1));
    for (let next = 2; next <= n; next += 1) await answers.update('a', amended('a', next));
    return answers;
  }

  describe(`changes of answers in ${name}`, () => {
    test.each([2, 3, 9, 30])('state %i is found, with its bytes', async (n) => {
      expect(await found(await stored(n), n)).toEqual([recordOf('a', n), state(n).buffer]);
    });

    test('the state before is given to nobody any more', async () => {
      const answers = await stored(3);
      expect(await answers.body(recordOf('a', 2))).toBeNull();
      expect(await found(answers, 3)).toEqual([recordOf('a', 3), state(3).buffer]);
    });

    test('what was decided is given back', async () => {
      const answers = await stored(1);
      const change = await answers.update('a', amended('a', 2));
      expect(change).toMatchObject({ kind: 'amend', stored: recordOf('a', 2) });
    });

    test('the next decision sees the state that came of the change', async () => {
      const answers = await stored(3);
      const seen: unknown[] = [];
      await answers.update('a', (current) => {
        seen.push(current);
        return { kind: 'keep' };
      });
      expect(seen).toEqual([recordOf('a', 3)]);
    });

    test.each<[what: string, from: number, to: number]>([
      ['skips a state', 1, 3],
      ['was made of a later state', 3, 2],
      ['was made of the same state', 2, 2],
    ])('the whole is stored where a change %s', async (_what, from, to) => {
      const answers = await stored(from);
      await answers.update('a', amended('a', to));
      expect(await found(answers, to)).toEqual([recordOf('a', to), state(to).buffer]);
    });

    test('the whole is stored where there is nothing to change', async () => {
      const answers = make();
      await answers.update('a', amended('a', 2));
      expect(await found(answers, 2)).toEqual([recordOf('a', 2), state(2).buffer]);
    });

    test('the whole is stored where a change was made of another line', async () => {
      const answers = await stored(1);
      const revision = { lineage: 'other', number: 2 };
      const next = recordOf('a', 2, { revision });
      await answers.update('a', amended('a', 2, { stored: next, from: { lineage: 'other', number: 1 } }));
      expect(await answers.body(next)).toEqual(state(2).buffer);
      expect((await answers.usage()).bytes).toBe(SIZE);
    });

    test('a whole that is only made when asked for is stored just so', async () => {
      const answers = make();
      await answers.update('a', amended('a', 2, { body: () => state(2).buffer }));
      expect(await found(answers, 2)).toEqual([recordOf('a', 2), state(2).buffer]);
    });

    test('a new description leaves the bytes alone, and further changes follow', async () => {
      const answers = await stored(3);
      const described = recordOf('a', 3, { receivedAt: 2_000, headers: [['etag', '"3"']] });
      await answers.update('a', () => ({ kind: 'describe', stored: described }));
      expect(await answers.find('a')).toEqual(described);
      expect(await answers.body(described)).toEqual(state(3).buffer);
      await answers.update('a', amended('a', 4));
      expect(await found(answers, 4)).toEqual([recordOf('a', 4), state(4).buffer]);
    });

    test('a whole answer takes the place of all changes', async () => {
      const answers = await stored(4);
      await answers.update('a', whole('a', 5));
      expect(await found(answers, 5)).toEqual([recordOf('a', 5), state(5).buffer]);
      expect(await answers.usage()).toEqual({ entries: 1, bytes: SIZE });
      await answers.update('a', amended('a', 6));
      expect(await found(answers, 6)).toEqual([recordOf('a', 6), state(6).buffer]);
    });

    test.each<[way: string, (answers: Answers) => Promise<void>]>([
      ['removed', (answers) => answers.remove('a')],
      ['cleared', (answers) => answers.clear()],
    ])('what is %s is gone with its changes, and counts for nothing', async (_way, forget) => {
      const answers = await stored(4);
      await forget(answers);
      expect(await answers.find('a')).toBeNull();
      expect(await answers.body(recordOf('a', 4))).toBeNull();
      expect(await answers.usage()).toEqual({ entries: 0, bytes: 0 });
    });

    test('a change to more than everything is refused, and what was there stays', async () => {
      const answers = await stored(2, 6_000);
      const change = { runs: [0, 3_500, 0, 3_500], literal: new ArrayBuffer(0), size: 7_000 };
      const next = recordOf('a', 3, { size: 7_000 });
      const growing = amended('a', 3, { stored: next, change, body: new ArrayBuffer(7_000) });
      await expect(answers.update('a', growing)).rejects.toThrow(RangeError);
      expect(await found(answers, 2)).toEqual([recordOf('a', 2), state(2).buffer]);
    });
  });
}

/** The stored record, and the bytes of state `n`. */
async function found(answers: Answers, n: number): Promise<unknown> {
  return [await answers.find('a'), await answers.body(recordOf('a', n))];
}
