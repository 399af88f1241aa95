import { expect, test } from 'vitest';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { carryCopy } from './carried-copies.ts';
import { BODY, draft, World } from './copied-outbox.fixture.ts';
import { Database } from './database.ts';
import { COPY_STEPS } from './migrations.ts';
import { OutboxCopy } from './outbox-copy.ts';

function databaseOf({ clock, spare }: World, name: string): Database {
  const system = { clock, indexedDB: spare };
  return new Database(system, name, () => {}, { steps: COPY_STEPS, givesUp: false });
}

function copyIn(world: World, name: string): OutboxCopy {
  return new OutboxCopy({
    attempt: (work) => work(),
    fail: () => {},
    opened: async () => {},
    gather: async () => {},
    isThere: async () => true,
    open: async () => databaseOf(world, name),
  });
}

/** An outbox with one write, which has all that was lost, and another copy with another write. */
async function split(world: World): Promise<void> {
  const { outbox, database } = world.engine();
  await outbox.all();
  const added = await outbox.add(draft('a'), BODY);
  await settle();
  await outbox.retire();
  database.retire();
  const other = copyIn(world, '/other');
  const write = { ...added, entry: 'b', key: 'b' };
  await other.keep([{ write, body: { kind: 'text', text: 'Dawn' } }]);
  await other.keepNames([{ temporaryId: 'temporary-c', id: 7, why: null, at: 5 }]);
  other.retire();
}

function carried(world: World): Promise<void> {
  return carryCopy(databaseOf(world, '/other'), databaseOf(world, '/outbox'), 'mark');
}

async function waiting(world: World): Promise<{ entries: string[]; copied: string[] }> {
  const { outbox, copy } = world.engine();
  await outbox.all();
  for (let step = 0; step < 20; step += 1) await world.clock.advance(500);
  const found = await outbox.all();
  const writes = found.kind === 'found' ? found.value : [];
  return { entries: writes.map(({ entry }) => entry), copied: [...(await copy.index()).keys()] };
}

test('what is carried over into a copy comes back, though the outbox had all that was lost before', async () => {
  const world = new World();
  await split(world);
  await carried(world);
  expect(await waiting(world)).toEqual({ entries: ['a', 'b'], copied: ['a', 'b'] });
  const { outbox } = world.engine();
  expect(await outbox.names(['temporary-c'])).toEqual(new Map([['temporary-c', { kind: 'given', id: 7 }]]));
});

test('an engine that does not know of it drops nothing of that', async () => {
  const world = new World();
  await split(world);
  const { outbox, copy } = world.engine();
  await outbox.all();
  await carried(world);
  await expect(copy.drop(['b'], [])).rejects.toThrow('not been read');
  expect([...(await copy.index()).keys()]).toEqual(['a', 'b']);
});

test('what comes while that is read is read, too', async () => {
  const world = new World();
  await split(world);
  await carried(world);
  const { copy } = world.engine();
  const mark = String(await copy.unread());
  await split(world);
  await carryCopy(databaseOf(world, '/other'), databaseOf(world, '/outbox'), 'another');
  await copy.noteRead(mark);
  expect(await copy.unread()).not.toBeNull();
});

test('what is carried over has come back once, and does not come again after it has ended', async () => {
  const world = new World();
  await split(world);
  await carried(world);
  await waiting(world);
  const { outbox } = world.engine();
  const found = await outbox.all();
  const [write] = found.kind === 'found' ? found.value.filter(({ entry }) => entry === 'b') : [];
  if (!write) throw new Error('It is not there');
  await outbox.change([{ ...write, state: 'done', endedAt: 5 }]);
  await world.clock.advance(500);
  await carried(world);
  expect(await waiting(world)).toEqual({ entries: ['a'], copied: ['a'] });
});

test('what is cleared meanwhile does not come back', async () => {
  const world = new World();
  await split(world);
  await carried(world);
  const one = world.engine();
  const other = world.engine();
  const read = one.copy.index.bind(one.copy);
  let reads = 0;
  one.copy.index = async () => {
    const found = await read();
    if ((reads += 1) === 1) await other.outbox.clear();
    return found;
  };
  await one.outbox.all();
  for (let step = 0; step < 20; step += 1) await world.clock.advance(500);
  expect([reads > 0, await waiting(world)]).toEqual([true, { entries: [], copied: [] }]);
});

test('a write is carried over into a copy without its data, where these cannot be read', async () => {
  const world = new World();
  await split(world);
  const other = databaseOf(world, '/other');
  const transact = other.transact.bind(other);
  const store = { get: () => Promise.reject(new DOMException('Its file is gone', 'DataError')) };
  other.transact = (stores, mode, work, ...given) =>
    transact(
      stores,
      mode,
      (transaction) =>
        work(
          mode === 'readonly' && stores[0] === 'copiedBodies'
            ? Object({ objectStore: () => store })
            : transaction,
        ),
      ...given,
    );
  await carryCopy(other, databaseOf(world, '/outbox'), 'mark');
  expect(await waiting(world)).toEqual({ entries: ['a', 'b'], copied: ['a', 'b'] });
});
