import { expect, test } from 'vitest';
import type { Ticket } from '../../shared/outbox.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { askedOf, CREATES, made, USER } from './named-writes.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

/** A disk that is so slow that a call cannot be queued, and stores it after all. */
async function late(
  name: string | null = null,
): Promise<{ stage: OutboxStage; tab: OutboxTab; disk: TroubledDisk }> {
  const disk = new TroubledDisk();
  const stage = new OutboxStage(disk);
  const tab = stage.open();
  if (name !== null) await tab.sign(name);
  await tab.queue(1, 'first', {}, { lane: 'b' });
  await tab.heard('entry-1 done');
  await rounds();
  disk.isLate = true;
  return { stage, tab, disk };
}

/** Resolves once such a call has settled. */
async function settled(
  stage: OutboxStage,
  tab: OutboxTab,
  wish: Wish = {},
  differing: Partial<Ticket> = {},
): Promise<void> {
  const queued = tab.queue(2, 'Dusk', wish, differing);
  await goOn(stage, 10);
  await queued;
  expect(tab.settled).toEqual([2]);
}

/** The disk is well again, and after a while another life begins. */
async function nextLife(stage: OutboxStage, disk: TroubledDisk): Promise<OutboxTab> {
  disk.isLate = false;
  await goOn(stage, 60);
  stage.restart();
  const next = stage.open();
  await next.greet();
  await goOn(stage, 60);
  return next;
}

test('a call that was answered without the outbox is not sent by the next life', async () => {
  const { stage, tab, disk } = await late();
  await settled(stage, tab);
  const next = await nextLife(stage, disk);
  expect([stage.performed, askedOf(stage), await next.list()]).toEqual([['first', 'Dusk'], [], []]);
});

test('its write is done with its answer, and every tab hears so', async () => {
  const { stage, tab, disk } = await late();
  await settled(stage, tab);
  disk.isLate = false;
  await goOn(stage, 60);
  const ends = tab.writes.filter(({ entry }) => entry === 'entry-2');
  expect(ends).toMatchObject([
    {
      state: 'done',
      attempts: 1,
      url: 'https://page.example/photos',
      answer: { status: 201, body: { value: { done: 2 } } },
    },
  ]);
});

test('bytes that have gone to its page are kept, too', async () => {
  const { stage, tab, disk } = await late();
  stage.answer = () => new Response(new Uint8Array([7, 8]), { headers: { 'Content-Type': 'image/png' } });
  await settled(stage, tab);
  stage.answer = () => null;
  const next = await nextLife(stage, disk);
  // It is back, as its number says.
  await next.greet();
  await rounds();
  const [told] = next.writes.filter(({ entry }) => entry === 'entry-2');
  expect(told?.answer?.body).toEqual({
    kind: 'bytes',
    bytes: new Uint8Array([7, 8]).buffer,
    type: 'image/png',
  });
});

test('what it has created has its name in later lives', async () => {
  const { stage, tab, disk } = await late();
  stage.answer = () => made(7);
  await settled(stage, tab, {}, CREATES);
  const next = await nextLife(stage, disk);
  await next.queue(3, 'Dawn', USER);
  await next.heard('entry-3 done');
  expect(askedOf(stage)).toEqual(['PUT /photo/7']);
});

test('it is not sent again either if its user signs out before that is stored, and comes back', async () => {
  const { stage, tab, disk } = await late('ada');
  const queued = tab.queue(2, 'Dusk');
  await stage.world.clock.advance(1_500);
  disk.isBroken = true;
  await goOn(stage, 10);
  await queued;
  await Promise.all([tab.sign(null), goOn(stage, 10)]);
  [disk.isLate, disk.isBroken] = [false, false];
  await tab.sign('ada');
  await goOn(stage, 60);
  expect([askedOf(stage).length, tab.told.at(-1)]).toEqual([2, 'entry-2 done']);
});

test('a call that is refused for what it names is not sent by the next life', async () => {
  const { stage, tab, disk } = await late();
  stage.answer = ({ init }) => (init.method === 'POST' ? new Response(null, { status: 503 }) : null);
  disk.isLate = false;
  await tab.queue(3, 'maker', {}, { ...CREATES, lane: 'c' });
  await rounds();
  disk.isLate = true;
  await settled(stage, tab, USER, { lane: 'd' });
  disk.isLate = false;
  await goOn(stage, 60);
  stage.answer = ({ init }) => (init.method === 'POST' ? made(7) : null);
  const next = await nextLife(stage, disk);
  await rounds();
  expect([stage.performed, await next.list()]).toEqual([['first'], []]);
});
