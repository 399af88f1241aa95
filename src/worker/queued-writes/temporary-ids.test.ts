import { expect, test } from 'vitest';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json, unreachable } from '../platform/system.fixture.ts';
import { goOn, OutboxStage, rounds, waitFor } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

const TEMPORARY = `temporary-${'a'.repeat(32)}`;
const DAY = 86_400_000;
const CREATES = { creates: { temporaryId: TEMPORARY, at: '/id' } };
const USER: Wish = { method: 'PUT', template: '/photo/{id}', params: [['id', TEMPORARY]] };

/** Queues a write that creates something, and one that uses that. */
async function queueTwo(tab: OutboxTab, lane = 'a'): Promise<void> {
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.queue(2, 'Dawn', USER, { lane });
}

/** The paths that the server was asked for, and how. */
function askedOf(stage: OutboxStage): string[] {
  return stage.world.requests.map(({ url, init }) => `${String(init.method)} ${new URL(url).pathname}`);
}

test('a write that names what an earlier one creates is sent with its id, also from another lane', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = unreachable;
  await queueTwo(tab, 'b');
  await stage.failed(tab, 1);
  await rounds();
  expect(askedOf(stage)).toEqual(['POST /photos']);
  stage.answer = ({ init }) => (init.method === 'POST' ? json({ id: 7 }, {}, 201) : json({}));
  await waitFor(stage, 30_000);
  await tab.heard('entry-2 done');
  expect(askedOf(stage).slice(1)).toEqual(['POST /photos', 'PUT /photo/7']);
  expect(tab.writes.find(({ state }) => state === 'done')).toMatchObject({
    temporaryId: TEMPORARY,
    givenId: 7,
  });
});

test('what was named stays named, whatever dies at any turn', async () => {
  const wrong: unknown[] = [];
  for (let turns = 0; turns < 60; turns += 1) {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    await queueTwo(tab);
    await stage.failed(tab, 1);
    const paths = new Set<string>();
    stage.answer = ({ init, url }) => {
      paths.add(`${String(init.method)} ${new URL(url).pathname}`);
      return init.method === 'POST' ? json({ id: 7 }, {}, 201) : json({});
    };
    void stage.world.clock.advance(30_000);
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    stage.restart();
    const next = stage.open();
    await next.greet();
    await waitFor(stage, 30_000);
    await waitFor(stage, 30_000);
    const left = await next.list();
    if (left.length > 0 || [...paths].join() !== 'POST /photos,PUT /photo/7')
      wrong.push([turns, [...paths], left]);
  }
  expect(wrong).toEqual([]);
});

test.each([29, 0, 60])(
  'the temporary id stands for the id in later lives, though the clock was ahead by %i days in one of them',
  async (days) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.method === 'POST' ? json({ id: 'seven' }, {}, 201) : json({}));
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.heard('entry-1 done');
    stage.world.clock.set(days * DAY);
    stage.restart();
    stage.open().meet();
    await goOn(stage, 10);
    stage.world.clock.set(-days * DAY);
    stage.restart();
    const next = stage.open();
    await next.queue(2, 'Dawn', USER);
    await next.heard('entry-2 done');
    expect(askedOf(stage).at(-1)).toBe('PUT /photo/seven');
  },
);

test('an edit may name it, too', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) => (init.method === 'POST' ? json({ id: 7 }, {}, 201) : json({}, {}, 422));
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.heard('entry-1 done');
  await tab.queue(2, 'Dawn', { ...USER, params: [['id', 'x']] });
  await tab.heard('entry-2 review');
  stage.answer = () => json({});
  const params = [['id', TEMPORARY]] as const;
  const decision = { kind: 'edit', key: 'key-9', params, body: null, contentType: null } as const;
  await tab.remote.control({ kind: 'decide', entry: 'entry-2', decision });
  await tab.heard('entry-2 done');
  expect(askedOf(stage).at(-1)).toBe('PUT /photo/7');
});

test('what uses it waits for a decision where its maker is discarded, and in every tab', async () => {
  const stage = new OutboxStage();
  const [tab, other] = [stage.open(), stage.open()];
  await other.greet();
  stage.answer = unreachable;
  await queueTwo(tab);
  await stage.failed(tab, 1);
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } });
  await other.heard('entry-2 review');
  expect(await tab.list()).toMatchObject([
    { entry: 'entry-2', state: 'review', failure: { code: 'outbox', message: 'What it uses was discarded' } },
  ]);
});

test('what uses it waits for a decision where its server has named nothing', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = unreachable;
  await queueTwo(tab);
  await stage.failed(tab, 1);
  stage.answer = () => json({ uuid: 7 }, {}, 201);
  await waitFor(stage, 30_000);
  await tab.heard('entry-2 review');
  expect([stage.world.requests.length > 1, await tab.list()]).toMatchObject([
    true,
    [{ failure: { code: 'outbox', message: "Its server has named no '/id'" } }],
  ]);
});

test('what uses it waits as long as its maker waits for a decision', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) => (init.method === 'POST' ? json({}, {}, 422) : json({}));
  await queueTwo(tab);
  await tab.heard('entry-1 review');
  await waitFor(stage, 60_000);
  expect(askedOf(stage)).toEqual(['POST /photos']);
  const counts = tab.deliveries.flatMap((each) => (each.kind === 'outbox' ? [each.counts] : []));
  expect(counts.at(-1)).toMatchObject({ waiting: 2, due: 0 });
  stage.answer = ({ init }) => (init.method === 'POST' ? json({ id: 7 }, {}, 201) : json({}));
  await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { kind: 'retry' } });
  await tab.heard('entry-2 done');
  expect(askedOf(stage).at(-1)).toBe('PUT /photo/7');
});

test('a call that is not queued names the id, once there is one', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ init }) => (init.method === 'POST' ? json({ id: 7 }, {}, 201) : json({}));
  tab.meet();
  const read = { template: '/photo/{id}', params: [['id', TEMPORARY]] } as const;
  await tab.call(50, read);
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.heard('entry-1 done');
  await tab.call(51, read);
  expect(askedOf(stage)).toEqual([`GET /photo/${TEMPORARY}`, 'POST /photos', 'GET /photo/7']);
});
