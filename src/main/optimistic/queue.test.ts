import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Queue } from './queue.ts';

function queueOf(...puts: readonly (readonly [id: string, place: number | null])[]): readonly string[] {
  const queue = new Queue();
  for (const put of puts) queue.put(...put);
  return queue.ids;
}

test('what is stored has the order of its places, whenever it is heard of', () => {
  expect(queueOf(['b', 2], ['a', 1], ['c', 3])).toEqual(['a', 'b', 'c']);
});

test('a call that is not stored stays where it was called, as those before and after it are stored', () => {
  expect(queueOf(['queued', null], ['plain', null], ['later', null], ['queued', 5], ['later', 6])).toEqual([
    'queued',
    'plain',
    'later',
  ]);
});

test('what was stored before comes before what is called here', () => {
  expect(queueOf(['a', 1], ['called', null], ['b', 2])).toEqual(['a', 'b', 'called']);
});

test('whatever comes, places are in order, and no name is lost or doubled', () => {
  const put = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.boolean());
  fc.assert(
    fc.property(fc.array(put), (puts) => {
      const queue = new Queue();
      const stored = new Map<string, number>();
      for (const [id, isStored] of puts) {
        if (isStored) stored.set(id, id.charCodeAt(0));
        queue.put(id, stored.get(id) ?? null);
      }
      const placed = queue.ids.filter((id) => stored.has(id));
      expect(placed).toEqual(placed.toSorted());
      expect(queue.ids.toSorted()).toEqual([...new Set(puts.map(([id]) => id))].toSorted());
    }),
  );
});
