import { expect, test } from 'vitest';
import { isLeftOut } from '../../shared/outbox.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json } from '../platform/system.fixture.ts';
import { onDisk } from '../storage/on-disk.fixture.ts';
import { askedOf, CREATES, TEMPORARY } from './named-writes.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

const FORBIDS = { 'Cache-Control': 'private, no-store', ETag: '"b"', 'X-Told': 'canary' };

/** A write whose server answers it like this, and what is on the disk then. */
async function answered(
  status: number,
  headers: Record<string, string>,
  wish: Wish = {},
): Promise<{ stage: OutboxStage; tab: OutboxTab; disk: string }> {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ token: 'canary' }, headers, status);
  await tab.queue(1, 'Dusk', wish);
  await rounds();
  return { stage, tab, disk: await onDisk(stage) };
}

test.each<[string, string, number, Record<string, string>, Wish]>([
  ['its server', 'done', 201, FORBIDS, {}],
  ['its server, as it refuses', 'review', 422, FORBIDS, {}],
  ['its server, as it has another version', 'conflict', 409, FORBIDS, {}],
  ['its request', 'done', 201, {}, { headers: [['Cache-Control', 'no-store']] }],
  ['its policy', 'done', 201, {}, { policy: { cache: 'network-only' } }],
])(
  'an answer that %s forbids to store is not on the disk, and told whole: %s',
  async (_who, state, status, headers, wish) => {
    const { tab, disk } = await answered(status, headers, wish);
    expect([disk.includes('entry-1'), disk.includes('canary')]).toEqual([true, false]);
    const told = tab.writes.at(-1);
    expect([told?.state, told?.answer?.body]).toMatchObject([state, { value: { token: 'canary' } }]);
  },
);

test('else it is there', async () => {
  const { disk } = await answered(201, { 'Cache-Control': 'no-cache' });
  expect(disk).toContain('canary');
});

test('a later life knows what it goes on with: that there was one, its status and its version', async () => {
  const { stage } = await answered(412, FORBIDS, { method: 'PUT', template: '/photo/7' });
  stage.restart();
  const next = stage.open();
  await next.greet();
  await rounds();
  const told = next.writes[0]?.answer;
  expect([told?.status, told?.headers, told && isLeftOut(told)]).toEqual([
    412,
    expect.arrayContaining([['etag', '"b"']]),
    true,
  ]);
});

test('what an answer names that is not stored is known all the same, in a later life, too', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = ({ url }) => (url.endsWith('/photos') ? json({ id: 7 }, FORBIDS, 201) : null);
  await tab.queue(1, 'Dusk', {}, CREATES);
  await tab.heard('entry-1 done');
  stage.restart();
  const next = stage.open();
  await next.queue(2, 'x', { method: 'PUT', template: '/photo/{id}', params: [['id', TEMPORARY]] });
  await next.heard('entry-2 done');
  expect(askedOf(stage)).toEqual(['PUT /photo/7']);
});

test('what a write has sent is on the disk for ten minutes after it is done at most, though no other follows', async () => {
  const { stage, tab, disk } = await answered(201, {});
  expect([tab.told, disk.includes('Dusk')]).toEqual([['entry-1 done'], true]);
  await goOn(stage, 601);
  await rounds();
  const later = await onDisk(stage);
  expect([later.includes('entry-1'), later.includes('Dusk')]).toEqual([true, false]);
});
