import { expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { IDBFactory } from './storage/indexeddb.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

/** A page that runs an engine of its own, over what all engines of the scope store. */
class EnginePage extends Tab {
  readonly world: FakeSystem;

  constructor(indexedDB: IDBFactory, id: string) {
    const world = Object.assign(new FakeSystem(), { indexedDB, uuid: () => crypto.randomUUID() });
    world.serve = () => json({ of: id }, { 'Cache-Control': 'max-age=1000' });
    const house = houseOf(world, { host: 'page', isPresent: null });
    super((...message) => house.receive(...message), id);
    this.world = world;
    world.grant();
    this.meet();
  }

  /** A call whose answer is stored. */
  async call(id: number, epoch: number): Promise<void> {
    await this.submitAll([{ ...submission(id, { template: `/photo/${id}` }), epoch }]);
    await until(() => this.settled.includes(id));
  }

  get identity(): unknown {
    return this.deliveries.flatMap((each) => (each.kind === 'identity' ? [each.identity] : [])).at(-1);
  }
}

const ROOT = 'offstage:/';

async function stored(indexedDB: IDBFactory): Promise<readonly string[]> {
  return (await indexedDB.databases()).map(({ name }) => String(name));
}

/** Until there are no answers of anybody. */
async function untilErased(indexedDB: IDBFactory): Promise<void> {
  while ((await stored(indexedDB)).join() !== ROOT) await settle();
}

/** Anna has signed in, in an engine that lives on; then she has signed out in another, which has deleted her answers. */
async function stage() {
  const indexedDB = new IDBFactory();
  const one = new EnginePage(indexedDB, 'one');
  const signedIn = await one.remote.control({ kind: 'sign-in', name: 'anna' });
  const epoch = signedIn.kind === 'identity' ? signedIn.identity.epoch : 0;
  await one.call(1, epoch);
  await settle();
  const other = new EnginePage(indexedDB, 'other');
  for (const { world } of [one, other]) await world.clock.advance(10);
  await other.remote.control({ kind: 'sign-out', pendingWrites: 'keep' });
  await untilErased(indexedDB);
  return { indexedDB, one, other, epoch };
}

test('a sign-out in one engine is not undone by another, which finds its answers deleted', async () => {
  const { indexedDB, one, other, epoch } = await stage();
  await one.call(2, epoch);
  await until(() => JSON.stringify(one.identity) === JSON.stringify(other.identity));
  expect(one.identity).toMatchObject({ name: null, isSignedIn: false });
  const next = new EnginePage(indexedDB, 'next');
  expect(await next.greet()).toMatchObject({ identity: other.identity });
});

test('what an engine has made anew after its deletion is deleted', async () => {
  const { indexedDB, one, epoch } = await stage();
  await one.call(2, epoch);
  await until(() => one.identity !== null && JSON.stringify(one.identity).includes('"name":null'));
  await untilErased(indexedDB);
  expect(one.identity).toMatchObject({ name: null, isSignedIn: false });
});

test('what no record lists is deleted at the next start, and nothing else', async () => {
  const { indexedDB } = await stage();
  const made = ['offstage:/#lost', 'offstage:encrypted:/#lost', 'offstage:/other#lost', 'offstage:/other'];
  for (const name of made) {
    await new Promise<void>((resolve) => {
      const opening = indexedDB.open(name);
      opening.addEventListener('success', () => resolve(opening.result.close()));
    });
  }
  const next = new EnginePage(indexedDB, 'next');
  await next.call(1, Object(next.identity).epoch ?? Object(await next.greet()).identity.epoch);
  while ((await stored(indexedDB)).some((name) => name.endsWith(':/#lost'))) await settle();
  expect(await stored(indexedDB)).toEqual(
    expect.arrayContaining([ROOT, 'offstage:/other', 'offstage:/other#lost']),
  );
});

test('a sign-out in an engine that has not heard of a sign-in in another ends that', async () => {
  const indexedDB = new IDBFactory();
  const other = new EnginePage(indexedDB, 'other');
  await other.call(1, 0);
  const one = new EnginePage(indexedDB, 'one');
  for (const { world } of [one, other]) await world.clock.advance(10);
  const signedIn = await one.remote.control({ kind: 'sign-in', name: 'anna' });
  await one.call(2, signedIn.kind === 'identity' ? signedIn.identity.epoch : 0);
  for (const { world } of [one, other]) await world.clock.advance(10);
  await other.remote.control({ kind: 'sign-out', pendingWrites: 'keep' });
  await untilErased(indexedDB);
  const next = new EnginePage(indexedDB, 'next');
  expect(await next.greet()).toMatchObject({ identity: { name: null, isSignedIn: false } });
});

test('a sign-in in an engine that has not heard of the same one in another joins that', async () => {
  const indexedDB = new IDBFactory();
  const other = new EnginePage(indexedDB, 'other');
  await other.call(1, 0);
  const one = new EnginePage(indexedDB, 'one');
  for (const { world } of [one, other]) await world.clock.advance(10);
  const first = await one.remote.control({ kind: 'sign-in', name: 'anna' });
  for (const { world } of [one, other]) await world.clock.advance(10);
  expect(await other.remote.control({ kind: 'sign-in', name: 'anna' })).toEqual(first);
});
