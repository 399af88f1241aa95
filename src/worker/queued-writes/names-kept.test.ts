import { describe, expect, test } from 'vitest';
import { houseOf } from '../house.fixture.ts';
import { FakeSystem, json, unreachable } from '../platform/system.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { askedOf, CREATES, made, TEMPORARY, USER } from './named-writes.fixture.ts';
import { OutboxStage, OutboxTab, rounds, waitFor } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

const DAY = 86_400_000;

describe('a name', () => {
  test('outlives a sign-out of its user', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : json({}));
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.heard('entry-1 done');
    await tab.sign(null);
    await waitFor(stage, 60_000);
    await tab.sign('anna');
    await tab.queue(2, 'Dawn', USER);
    await tab.heard('entry-2 done');
    expect(askedOf(stage).at(-1)).toBe('PUT /photo/7');
  });

  test('is given to what waited while another user was there', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = unreachable;
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.queue(2, 'Dawn', USER);
    await tab.sign('bert');
    await tab.sign(null);
    stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : json({}));
    await tab.sign('anna');
    await waitFor(stage, 60_000);
    expect(askedOf(stage).slice(-2)).toEqual(['POST /photos', 'PUT /photo/7']);
  });

  test('is kept as long as something waits that needs it', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : json({}, {}, 401));
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.queue(2, 'Dawn', USER);
    await tab.heard('entry-2 paused');
    stage.restart();
    stage.world.clock.set(40 * DAY);
    stage.answer = () => json({});
    const next = stage.open();
    await next.queue(3, 'x');
    await next.heard('entry-3 done');
    await next.heard('entry-2 done');
    expect(askedOf(stage)).toContain('PUT /photo/7');
  });

  test('is kept in a database that is encrypted', async () => {
    const world = new FakeSystem();
    world.grant();
    let isThere = false;
    world.serve = ({ init }) => {
      if (!isThere) return unreachable();
      return init.method === 'POST' ? made(7) : json({});
    };
    const house = houseOf(world, { encrypts: true });
    const tab = new OutboxTab((...message) => house.receive(...message), 'client 1');
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.queue(2, 'Dawn', USER);
    await rounds();
    isThere = true;
    await world.clock.advance(60_000);
    await tab.heard('entry-2 done');
    expect(world.requests.at(-1)?.url).toBe('https://page.example/photo/7');
  });
});

/** What has become of a plain write by the temporary id. */
async function settled(tab: OutboxTab): Promise<unknown> {
  const params = [['id', TEMPORARY]] as const;
  await tab.call(60, { method: 'DELETE', template: '/photo/{id}', params });
  const told = tab.deliveries.find((each) => each.kind === 'settled' && each.id === 60);
  return told?.kind === 'settled' && told.outcome.kind === 'failed' ? told.outcome.failure : null;
}

describe('a plain write by a temporary id', () => {
  test('fails where it cannot be known what that stands for', async () => {
    const disk = new TroubledDisk();
    const stage = new OutboxStage(disk);
    const tab = stage.open();
    stage.answer = () => made(7);
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.heard('entry-1 done');
    await rounds();
    disk.isBroken = true;
    expect([await settled(tab), askedOf(stage)]).toMatchObject([{ code: 'storage' }, ['POST /photos']]);
  });

  test('fails as long as there is no id', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 422);
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.heard('entry-1 review');
    const message = `'${TEMPORARY}' has no id yet: a queued call waits for that`;
    expect([await settled(tab), askedOf(stage)]).toEqual([{ code: 'outbox', message }, ['POST /photos']]);
  });

  test('fails where what is to have it is still being stored', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    const message = `'${TEMPORARY}' has no id yet: a queued call waits for that`;
    const [, failure] = await Promise.all([tab.queue(1, 'Dusk', {}, CREATES), settled(tab)]);
    expect(failure).toEqual({ code: 'outbox', message });
    expect(askedOf(stage)).not.toContain(`DELETE /photo/${TEMPORARY}`);
  });

  test('fails where there will never be one', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 201);
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.heard('entry-1 done');
    const message = "Its server has named no '/id'";
    expect([await settled(tab), askedOf(stage)]).toEqual([{ code: 'outbox', message }, ['POST /photos']]);
  });
});

test('a plain call whose name is looked up as another user signs in is not sent as that user', async () => {
  for (let turns = 0; turns < 25; turns += 1) {
    const stage = new OutboxStage();
    const tab = stage.open();
    await tab.sign('anna');
    stage.answer = () => made(7);
    await tab.queue(1, 'Dusk', {}, CREATES);
    await tab.heard('entry-1 done');
    await rounds();
    const call = submission(60, { method: 'PUT', template: '/photo/{id}', params: [['id', TEMPORARY]] });
    void tab.submitAll([{ ...call, ...(tab.epoch !== undefined && { epoch: tab.epoch }) }]);
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (stage.world.requests.length > 1) break;
    await tab.sign('bert');
    const before = askedOf(stage);
    await rounds();
    expect(askedOf(stage)).toEqual(before);
  }
});
