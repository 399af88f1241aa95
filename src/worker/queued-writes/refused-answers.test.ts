import { expect, test } from 'vitest';
import type { WorkerFunctions } from '../../shared/engine.ts';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json, until } from '../platform/system.fixture.ts';
import { CREATES, USER } from './named-writes.fixture.ts';
import { OutboxTab } from './outbox-stage.fixture.ts';

// The server has performed a write, and the worker's functions refuse its answer.

const FUNCTIONS: WorkerFunctions = {
  titled: {
    '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no title' }] }) },
  },
  photo: ({ photo }: { readonly photo: unknown }) => photo,
  broken: () => {
    throw new Error('bad');
  },
};

/** A write that creates something, and one of another lane that names it; what is told of both, and what was asked for. */
async function performed(answer: unknown, ...transform: string[]): Promise<[string[], string[]]> {
  const world = new FakeSystem();
  world.serve = ({ url }) => json(url.endsWith('/photos') ? answer : {}, {}, 201);
  world.grant();
  const house = houseOf(world, { functions: () => FUNCTIONS });
  const tab = new OutboxTab((source, envelope) => house.receive(source, envelope), 'own');
  await tab.queue(1, 'Dusk', { policy: { transform } }, CREATES);
  await tab.queue(2, 'x', USER, { lane: 'b' });
  await until(() => tab.told.length > 1);
  return [tab.told, world.requests.map(({ url }) => new URL(url).pathname)];
}

test('a write whose answer a schema refuses is done, and what names its id goes on', async () => {
  expect(await performed({ id: 7 }, 'titled')).toEqual([
    ['entry-1 done', 'entry-2 done'],
    ['/photos', '/photo/7'],
  ]);
});

test('the id is in what the schema was given, whatever came before it', async () => {
  const [, asked] = await performed({ id: 'request-1', photo: { id: 7 } }, 'photo', 'titled');
  expect(asked).toEqual(['/photos', '/photo/7']);
});

test('where a function fails, nobody knows where the id is: what names it comes to review', async () => {
  expect(await performed({ id: 'request-1' }, 'broken')).toEqual([
    ['entry-1 done', 'entry-2 review'],
    ['/photos'],
  ]);
});
