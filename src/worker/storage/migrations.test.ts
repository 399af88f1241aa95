import { describe, expect, test } from 'vitest';
import { Database } from './database.ts';
import { factsOf, fillAll, lossesBetween, schemaFacts } from './facts.fixture.ts';
import type { Facts } from './facts.fixture.ts';
import { raiseGeneration } from './partitions.ts';
import { IdbResponses } from './idb-responses.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { STEPS } from './migrations.ts';
import type { Step } from './migrations.ts';
import { record, replaceBy } from './record.fixture.ts';
import { amended, recordOf, state, whole } from './states.fixture.ts';
import { LATER, NAME, openWith } from './versions.fixture.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';

/** Opens with those steps, and tells what is true then. */
async function visit(factory: IDBFactory, steps: readonly Step[]): Promise<Facts> {
  const connection = await openWith(steps, factory);
  const facts = await factsOf(connection);
  connection.close();
  return facts;
}

/** A factory in which the database has that version, with a record in each store; of version 0 there is none. */
async function factoryAt(version: number, steps: readonly Step[]): Promise<IDBFactory> {
  const factory = new IDBFactory();
  if (version === 0) return factory;
  const connection = await openWith(steps.slice(0, version), factory);
  await fillAll(connection);
  connection.close();
  return factory;
}

/** What goes wrong in the step that follows a version. */
async function lossesAfter(version: number, steps: readonly Step[]): Promise<string[]> {
  const factory = await factoryAt(version, steps);
  const before = version === 0 ? new Map<string, never>() : await visit(factory, steps.slice(0, version));
  return lossesBetween(before, await visit(factory, steps.slice(0, version + 1)));
}

describe('a step only ever adds', () => {
  test.each(LATER.map((_step, version) => version))('the one that follows version %i', async (version) => {
    expect(await lossesAfter(version, LATER)).toEqual([]);
  });

  test.each<[mistake: string, step: Step, losses: string[]]>([
    [
      'removes a store',
      ({ db }) => db.deleteObjectStore('bodies'),
      ['store bodies is gone', 'record bodies/"sample" is gone'],
    ],
    [
      'removes an index',
      (upgrade) => upgrade.objectStore('responses').deleteIndex('usedAt'),
      ['index responses/usedAt is gone'],
    ],
    [
      'makes a store anew, under other keys',
      ({ db }) => {
        db.deleteObjectStore('meta');
        db.createObjectStore('meta', { keyPath: 'name' });
      },
      ['store meta has changed', 'record meta/"sample" is gone'],
    ],
    [
      'makes an index anew, of something else',
      (upgrade) => {
        const responses = upgrade.objectStore('responses');
        responses.deleteIndex('usedAt');
        responses.createIndex('usedAt', 'receivedAt');
      },
      ['index responses/usedAt has changed'],
    ],
    [
      'forbids what the older one writes',
      (upgrade) => upgrade.objectStore('responses').createIndex('url', 'url', { unique: true }),
      ['index responses/url is unique'],
    ],
    [
      'removes a record',
      (upgrade) => upgrade.objectStore('meta').delete('sample'),
      ['record meta/"sample" is gone'],
    ],
    [
      'changes a record',
      (upgrade) => upgrade.objectStore('meta').put('other', 'sample'),
      ['record meta/"sample" has changed'],
    ],
  ])('one that %s is caught', async (_mistake, step, losses) => {
    expect(await lossesAfter(STEPS.length, [...STEPS, step])).toEqual(losses);
  });
});

test('every version from none to the last arrives at the same schema', async () => {
  const fresh = await visit(new IDBFactory(), LATER);
  expect([...fresh.keys()]).toContain('index responses/status');
  for (const version of LATER.keys()) {
    const upgraded = await visit(await factoryAt(version, LATER), LATER);
    expect(schemaFacts(upgraded), `from version ${version}`).toEqual(fresh);
  }
});

test('a database full of answers keeps them all in the next version', async () => {
  const factory = new IDBFactory();
  const database = new Database({ clock: new VirtualClock(), indexedDB: factory }, 'default', () => {});
  const answers = new IdbResponses(new FakeSystem(), database);
  for (let index = 0; index < 50; index += 1)
    await answers.update(`${index}`, replaceBy(record(`${index}`, 3_000 + index)));
  await answers.update('watched', whole('watched', 1));
  await answers.update('watched', amended('watched', 2));
  await answers.salt('grain');
  await raiseGeneration(database);
  const before = await visit(factory, STEPS);
  const after = await visit(factory, LATER);
  // Fifty answers and their bodies, one more with a change, the salt, the generation, the number of bytes and when it was made.
  expect([...before.keys()].filter((fact) => fact.startsWith('record '))).toHaveLength(107);
  expect(lossesBetween(before, after)).toEqual([]);
  expect((await factory.databases())[0]).toEqual({ name: NAME, version: LATER.length });
  expect(await answers.find('49')).toEqual(record('49', 3_049));
  expect(await answers.body(recordOf('watched', 2))).toEqual(state(2).buffer);
});
