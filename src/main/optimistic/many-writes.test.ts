import { afterEach, expect, test, vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import { PendingWrites } from './pending-writes.ts';
import { Queue } from './queue.ts';
import type { OptimisticWrite } from './write.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** How often a list is searched. */
function searches(): () => number {
  const spies = (['includes', 'indexOf', 'lastIndexOf', 'every', 'findLastIndex'] as const).map((name) =>
    vi.spyOn(Array.prototype, name),
  );
  return () => spies.reduce((count, { mock }) => count + mock.calls.length, 0);
}

function temporary(number: number): string {
  return `temporary-${number.toString(16).padStart(32, '0')}`;
}

/** Writes that wait, each with a temporary id of its own. */
function waiting(count: number): WriteReport[] {
  return Array.from({ length: count }, (_, nth) => {
    const [entry, key, temporaryId] = [`entry-${nth}`, `key-${nth}`, temporary(nth)];
    return { ...WRITE, entry, key, temporaryId, place: nth + 1, isShown: true };
  });
}

test('a queue is not searched for what it knows', () => {
  const queue = new Queue();
  const all = waiting(100);
  for (const { entry, place } of all) queue.put(entry, place);
  const count = searches();
  for (const { entry, place } of all) queue.put(entry, place);
  for (const { entry } of all) queue.put(entry, null);
  expect(count()).toBe(0);
});

test('a name that a server gives is looked for in those that name it, and in no others', () => {
  const pending = new PendingWrites(() => 10_000);
  let reads = 0;
  const begin = (id: string, album: string): void => {
    const data = {
      get title() {
        reads += 1;
        return 'Dusk';
      },
      album,
    };
    const write: OptimisticWrite = { action: 'create', params: {}, data, temporaryId: null, entry: null };
    pending.begin(id, 'photos', write, false);
  };
  for (let nth = 0; nth < 100; nth += 1) begin(`entry-${nth}`, temporary(nth));
  const before = reads;
  pending.name(temporary(7), 70);
  expect(reads - before).toBeLessThan(5);
  expect(pending.get('entry-7')?.write.data).toEqual({ title: 'Dusk', album: 70 });
  expect(pending.get('entry-8')?.write.data).toMatchObject({ album: temporary(8) });
});

test('what is told together is named whatever comes first', () => {
  const pending = new PendingWrites(() => 10_000);
  const [create] = waiting(1);
  if (!create) throw new Error('There is one');
  const rename: WriteReport = {
    ...create,
    entry: 'rename',
    temporaryId: null,
    params: [['id', temporary(0)]],
  };
  pending.hear([create]);
  pending.hear([rename, { ...create, state: 'done', endedAt: 1, givenId: 7 }]);
  expect(pending.get('rename')?.write.params).toEqual({ id: '7' });
});

test('the list of all is made once for each report', () => {
  const pending = new PendingWrites(() => 10_000);
  const all = waiting(100);
  pending.hear(all);
  pending.watch({ changed: () => void pending.all, done: () => {}, isShowing: () => true, oldest: () => 0 });
  const makes = (['map', 'flatMap'] as const).map((name) => vi.spyOn(Array.prototype, name));
  pending.hear(all.slice(0, 1).map((first) => ({ ...first, state: 'done', endedAt: 1, givenId: 7 })));
  const made = makes.flatMap(({ mock }) => mock.contexts);
  expect(made.filter((list) => Array.isArray(list) && list.length === 100)).toHaveLength(1);
});
