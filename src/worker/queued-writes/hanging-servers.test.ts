import { expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { goOn, OutboxStage } from './outbox-stage.fixture.ts';

const NOTES = ['note 1', 'note 2', 'note 3', 'note 4', 'note 5'];

/** Photos, each of a lane, wait for what does not answer; notes of another lane are queued after them. */
async function behindPhotos(count: number, template: string): Promise<OutboxStage> {
  const stage = new OutboxStage();
  stage.world.online = false;
  stage.answer = unreachable;
  const tab = stage.open();
  for (let n = 1; n <= count; n += 1) await tab.queue(n, `photo ${n}`, { template }, { lane: `photo ${n}` });
  stage.world.online = true;
  stage.answer = ({ url }) => (url.endsWith('/hangs') ? new Promise(() => {}) : null);
  void tab.remote.control({ kind: 'online' });
  for (const [n, note] of NOTES.entries()) await tab.queue(1_000 + n, note, {}, { lane: 'notes' });
  return stage;
}

test.each([2, 100])(
  'a lane waits for no other server, though %i lanes wait for one that hangs',
  async (count) => {
    const stage = await behindPhotos(count, 'https://files.example/hangs');
    await goOn(stage, 5);
    expect(stage.performed).toEqual(NOTES);
  },
);

test('a lane goes on once its server has answered it, though many wait for a part of that which hangs', async () => {
  const stage = await behindPhotos(40, '/hangs');
  // Each of the others was attempted once by then.
  await goOn(stage, 40 * 7.5 + 5);
  expect(stage.performed).toEqual(NOTES);
});

test.each([
  ['its own server', 8, () => '/hangs'],
  ['four other servers', 16, (n: number) => `https://files-${n % 4}.example/hangs`],
])('a lane that was empty goes on beside those that wait for %s', async (_, count, template) => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.queue(1_000, 'note 1', {}, { lane: 'notes' });
  // Many lanes have their turn meanwhile.
  for (let n = 1; n <= 20; n += 1) await tab.queue(100 + n, `sent ${n}`, {}, { lane: `sent ${n}` });
  await goOn(stage, 5);
  stage.answer = ({ url }) => (url.endsWith('/hangs') ? new Promise(() => {}) : null);
  for (let n = 1; n <= count; n += 1)
    await tab.queue(n, `photo ${n}`, { template: template(n) }, { lane: `photo ${n}` });
  await goOn(stage, 1);
  await tab.queue(1_001, 'note 2', {}, { lane: 'notes' });
  await goOn(stage, 20);
  expect(stage.performed.filter((text) => text.startsWith('note'))).toEqual(['note 1', 'note 2']);
});
