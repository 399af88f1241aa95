import { expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { invocation } from './cache/invocation.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { ticks } from './ticks.fixture.ts';

/** A worker with two tabs, of which one polls `/photos` and `/other` once a minute. */
async function stage() {
  const world = new FakeSystem();
  world.grant();
  world.serve = ({ url }) => json([url, world.requests.length]);
  const house = houseOf(world);
  const [reader, writer] = ['a', 'b'].map(
    (name) => new Tab((source, envelope) => house.receive(source, envelope), name, name),
  );
  if (!reader || !writer) throw new Error('There are two tabs');
  await writer.greet();
  await reader.declare({ loop: 1, pace: every(60_000), invocation: invocation({ template: '/photos' }) });
  await reader.declare({ loop: 2, pace: every(60_000), invocation: invocation({ template: '/other' }) });
  await until(() => ticks(reader).length === 2);
  const asked = (): string[] => world.requests.map(({ url }) => new URL(url).pathname);
  return { world, reader, writer, asked };
}

const ADD = { method: 'POST', template: '/item', policy: { invalidates: ['/photos{?page}'] } };

test('a loop of another tab asks at once, and only once, for what a success invalidates', async () => {
  const { world, reader, writer, asked } = await stage();
  await writer.submitAll([submission(1, ADD)]);
  await until(() => ticks(reader).length === 3);
  for (let turn = 0; turn < 20; turn += 1) await settle();
  expect(asked()).toEqual(['/photos', '/other', '/item', '/photos']);
  await world.clock.advance(60_000);
  await until(() => world.requests.length === 6);
  expect(asked().slice(4).toSorted()).toEqual(['/other', '/photos']);
});

test('a loop that waits out a failure does not ask earlier because of it', async () => {
  const { world, writer, asked } = await stage();
  const { serve } = world;
  world.serve = (seen) =>
    seen.url.endsWith('/photos') ? json(null, { 'Retry-After': '300' }, 503) : serve(seen);
  await world.clock.advance(60_000);
  await until(() => world.requests.length === 4);
  await writer.submitAll([submission(1, ADD)]);
  await until(() => writer.settled.length === 1);
  for (let turn = 0; turn < 20; turn += 1) await settle();
  expect(asked().filter((path) => path === '/photos')).toHaveLength(2);
});
