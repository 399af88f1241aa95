import { describe, expect, test } from 'vitest';
import type { IdbResponses } from './idb-responses.ts';
import type { MemoryResponses } from './responses.ts';
import { record, replaceBy } from './record.fixture.ts';

type Answers = IdbResponses | MemoryResponses;

/** The tests of every storage for answers. `make` makes an empty one of so many bytes. */
export function describeResponses(name: string, make: (capacity?: number) => Answers): void {
  describe(`answers in ${name}`, () => {
    test('nothing is known of what was never stored', async () => {
      const answers = make();
      expect(await answers.find('a')).toBeNull();
      expect(await answers.body(record('a'))).toBeNull();
      expect(await answers.usage()).toEqual({ entries: 0, bytes: 0 });
    });

    test('what was stored is found, its body apart', async () => {
      const answers = make();
      await answers.update('a', replaceBy(record('a')));
      expect(await answers.find('a')).toEqual(record('a'));
      expect(numbers(await answers.body(record('a')))).toEqual([1, 1, 1]);
      expect(await answers.usage()).toEqual({ entries: 1, bytes: 3 });
    });

    test('its key is among those of all', async () => {
      const answers = make();
      expect(await answers.keys()).toEqual([]);
      for (const key of ['a', 'b']) await answers.update(key, replaceBy(record(key)));
      await answers.remove('a');
      expect(await answers.keys()).toEqual(['b']);
    });

    test('the decision is made on what is stored now, and given back', async () => {
      const answers = make();
      await answers.update('a', replaceBy(record('a')));
      const seen: unknown[] = [];
      const change = await answers.update('a', (current) => {
        seen.push(current);
        return { kind: 'keep' };
      });
      expect(seen).toEqual([record('a')]);
      expect(change).toEqual({ kind: 'keep' });
      expect(await answers.find('a')).toEqual(record('a'));
    });

    test('a new description leaves the body alone', async () => {
      const answers = make();
      await answers.update('a', replaceBy(record('a')));
      const stored = record('a', 3, { receivedAt: 2_000 });
      await answers.update('a', () => ({ kind: 'describe', stored }));
      expect(await answers.find('a')).toEqual(stored);
      expect(numbers(await answers.body(stored))).toEqual([1, 1, 1]);
      expect(await answers.usage()).toEqual({ entries: 1, bytes: 3 });
    });

    test('a replaced body is not given to those who ask for the one before', async () => {
      const answers = make();
      const next = record('a', 5, { revision: { lineage: 'line', number: 2 } });
      await answers.update('a', replaceBy(record('a')));
      await answers.update('a', replaceBy(next));
      expect(await answers.body(record('a'))).toBeNull();
      expect((await answers.body(next))?.byteLength).toBe(5);
      expect(await answers.usage()).toEqual({ entries: 1, bytes: 5 });
    });

    test('concurrent decisions are made one after the other', async () => {
      const answers = make();
      const count = (): Promise<unknown> =>
        answers.update('a', (current) => {
          const number = (current?.revision.number ?? 0) + 1;
          return replaceBy(record('a', 3, { revision: { lineage: 'line', number } }))(current);
        });
      await Promise.all([count(), count(), count()]);
      expect((await answers.find('a'))?.revision.number).toBe(3);
    });

    test('a decision that throws changes nothing', async () => {
      const answers = make();
      await answers.update('a', replaceBy(record('a')));
      const update = answers.update('a', () => {
        throw new Error('mistake');
      });
      await expect(update).rejects.toThrow('mistake');
      expect(await answers.find('a')).toEqual(record('a'));
    });

    test('a body that was stored or given may be transferred away', async () => {
      const answers = make();
      const body = new Uint8Array([1, 1, 1]).buffer;
      await answers.update('a', () => ({ kind: 'replace', stored: record('a'), body }));
      structuredClone(body, { transfer: [body] });
      const given = await answers.body(record('a'));
      if (given) structuredClone(given, { transfer: [given] });
      expect(numbers(await answers.body(record('a')))).toEqual([1, 1, 1]);
    });

    test('what is removed is gone, the rest stays', async () => {
      const answers = make();
      await answers.update('a', replaceBy(record('a', 3)));
      await answers.update('b', replaceBy(record('b', 4)));
      await answers.remove('a');
      await answers.remove('never there');
      expect(await answers.find('a')).toBeNull();
      expect(await answers.body(record('a'))).toBeNull();
      expect(await answers.usage()).toEqual({ entries: 1, bytes: 4 });
    });

    test('clearing leaves nothing but the salt', async () => {
      const answers = make();
      await answers.salt('grain');
      await answers.update('a', replaceBy(record('a')));
      await answers.clear();
      expect(await answers.find('a')).toBeNull();
      expect(await answers.usage()).toEqual({ entries: 0, bytes: 0 });
      expect(await answers.salt('other')).toBe('grain');
    });

    test('the first candidate is the salt', async () => {
      const answers = make();
      const salts = await Promise.all([answers.salt('one'), answers.salt('two')]);
      expect(salts[0]).toBe(salts[1]);
      expect(await answers.salt('three')).toBe(salts[0]);
    });

    test('what was used least recently makes room', async () => {
      const answers = make(10_000);
      for (const key of ['b', 'a', 'c']) await answers.update(key, replaceBy(record(key, 3_000)));
      expect(await answers.find('b')).toBeNull();
      expect(await answers.body(record('b', 3_000))).toBeNull();
      expect(await answers.find('a')).not.toBeNull();
      expect(await answers.usage()).toEqual({ entries: 2, bytes: 6_000 });
    });

    test('when an answer was received makes no difference', async () => {
      const answers = make(10_000);
      for (const [index, key] of ['a', 'b', 'c'].entries()) {
        await answers.update(key, replaceBy(record(key, 3_000, { receivedAt: -index })));
      }
      expect(await answers.find('c')).not.toBeNull();
      expect(await answers.find('a')).toBeNull();
    });

    test('answers without a body take room too', async () => {
      const answers = make(10 * 1024);
      for (let index = 0; index < 20; index += 1) {
        await answers.update(`${index}`, replaceBy(record(`${index}`, 0, { receivedAt: index })));
      }
      expect((await answers.usage()).entries).toBe(10);
    });

    test('what is larger than everything is refused, and nothing gives way to it', async () => {
      const answers = make(10_000);
      await answers.update('a', replaceBy(record('a')));
      await expect(answers.update('b', replaceBy(record('b', 10_000)))).rejects.toThrow(RangeError);
      expect(await answers.find('a')).toEqual(record('a'));
      expect(await answers.usage()).toEqual({ entries: 1, bytes: 3 });
    });
  });
}

function numbers(bytes: ArrayBuffer | null): number[] {
  return [...new Uint8Array(bytes ?? [])];
}
