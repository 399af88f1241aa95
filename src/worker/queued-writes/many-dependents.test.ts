import { expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { CREATES, TEMPORARY } from './named-writes.fixture.ts';
import { OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { SlowDisk } from './slow-disk.fixture.ts';

// An album is made in a tunnel, with a hundred photos for it. To write them all anew takes the disk longer than a transaction has.

const PHOTOS = 100;

async function photo(): Promise<{ type: string; bytes: ArrayBuffer }> {
  const form = new FormData();
  form.append('album', TEMPORARY);
  form.append('photo', new Blob([new Uint8Array(10_000)]), 'photo.jpg');
  const response = new Response(form);
  return { type: response.headers.get('Content-Type') ?? '', bytes: await response.arrayBuffer() };
}

async function queueAll(stage: OutboxStage, tab: OutboxTab): Promise<void> {
  await tab.queue(1, 'album', {}, CREATES);
  const { type, bytes } = await photo();
  const upload = {
    template: '/upload',
    headers: [['Content-Type', type]],
    body: { kind: 'bytes', bytes },
  } as const;
  for (let n = 2; n <= PHOTOS + 1; n += 1) {
    const queueing = tab.queue(n, '', upload, { lane: 'uploads' });
    while (!tab.queued.includes(n)) {
      await stage.world.clock.advance(20);
      await rounds(1);
    }
    await queueing;
  }
}

function tunnel(): { stage: OutboxStage; tab: OutboxTab } {
  const disk = new SlowDisk(300);
  const stage = new OutboxStage(disk);
  disk.clock = stage.world.clock;
  stage.world.online = false;
  stage.answer = unreachable;
  return { stage, tab: stage.open() };
}

test('photos that name an album which is queued before them are uploaded', async () => {
  const { stage, tab } = tunnel();
  await queueAll(stage, tab);
  const sent: string[] = [];
  stage.world.online = true;
  stage.answer = ({ url }) => {
    sent.push(new URL(url).pathname);
    return json({ id: 7 }, {}, 201);
  };
  void tab.remote.control({ kind: 'online' });
  for (let round = 0; round < 600 && sent.length <= PHOTOS; round += 1) {
    await stage.world.clock.advance(200);
    await rounds(3);
  }
  expect(sent).toEqual(['/photos', ...Array.from({ length: PHOTOS }, () => '/upload')]);
});

test('an album that many photos name can be discarded, and all of them come to review', async () => {
  const { stage, tab } = tunnel();
  await queueAll(stage, tab);
  let said: unknown = null;
  const discard = { kind: 'decide', entry: 'entry-1', decision: { kind: 'discard' } } as const;
  void tab.remote.control(discard).then((reply) => (said = reply));
  const reviews = (): number => tab.told.filter((each) => each.endsWith('review')).length;
  for (let round = 0; round < 100 && reviews() < PHOTOS; round += 1) {
    await stage.world.clock.advance(200);
    await rounds(5);
  }
  expect([said, reviews()]).toEqual([{ kind: 'decided', as: 'decided' }, PHOTOS]);
});
