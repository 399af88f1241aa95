import { expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';

function portal(): Response {
  return new Response('<h1>WiFi</h1>', { headers: { 'Content-Type': 'text/html' } });
}

async function goOnUntil(stage: OutboxStage, isSo: () => boolean): Promise<void> {
  for (let second = 0; second < 60 && !isSo(); second += 1) await goOn(stage, 1);
}

test('after a portal of two minutes, a 409 that follows a lost answer is asked again for a minute, too', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let isPortal = true;
  let attempts = 0;
  stage.answer = (seen) => {
    if (isPortal) return portal();
    attempts += 1;
    // The server performs it, and is at work on it for twenty seconds: its first answer is lost.
    if (attempts === 1) {
      stage.perform(seen);
      return unreachable();
    }
    return stage.world.clock.now() < readyAt ? json({ why: 'in progress' }, {}, 409) : null;
  };
  let readyAt = Infinity;
  await tab.queue(1, 'Dusk');
  await goOn(stage, 120);
  isPortal = false;
  await goOnUntil(stage, () => attempts > 0);
  readyAt = stage.world.clock.now() + 20_000;
  await goOn(stage, 60);
  await rounds();
  expect([tab.told, stage.performed]).toEqual([['entry-1 done'], ['Dusk']]);
});

test('after a portal of two minutes, what may be under way at its server is not edited and performed twice', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let isPortal = true;
  let attempts = 0;
  let isReady = false;
  stage.answer = (seen) => {
    if (isPortal) return portal();
    attempts += 1;
    if (attempts === 1) {
      stage.perform(seen);
      return unreachable();
    }
    return isReady || seen.headers.get('Idempotency-Key') !== '"key-1"' ? null : json({}, {}, 409);
  };
  await tab.queue(1, 'Dusk');
  await goOn(stage, 120);
  isPortal = false;
  await goOnUntil(stage, () => attempts > 1);
  await goOn(stage, 2);
  const reply = await tab.remote.control({
    kind: 'decide',
    entry: 'entry-1',
    decision: {
      kind: 'edit',
      key: 'key-9',
      params: null,
      body: { kind: 'text', text: 'Dusk' },
      contentType: null,
    },
  });
  isReady = true;
  await goOn(stage, 60);
  expect([reply, stage.performed]).toEqual([{ kind: 'decided', as: 'sent' }, ['Dusk']]);
});

test('a conflict that follows a lost answer comes to somebody within minutes, though the clock is set back by a year', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let attempts = 0;
  stage.answer = () => ((attempts += 1) === 1 ? unreachable() : json({ why: 'taken' }, {}, 409));
  await tab.queue(1, 'Dusk');
  await goOnUntil(stage, () => attempts > 1);
  await goOn(stage, 2);
  stage.world.clock.set(-365 * 86_400_000);
  await goOn(stage, 600);
  await rounds();
  expect(tab.told).toEqual(['entry-1 conflict']);
});

function busy(): Response {
  return json({ why: 'in progress' }, {}, 409);
}

test('409 after a lost answer is asked again for a minute, though the server was busy minutes before, too', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let attempts = 0;
  stage.answer = () => ((attempts += 1) === 2 ? busy() : unreachable());
  await tab.queue(1, 'Dusk');
  await goOn(stage, 300);
  const before = attempts;
  stage.answer = () => ((attempts += 1) === before + 1 ? unreachable() : busy());
  await goOnUntil(stage, () => attempts === before + 2);
  await rounds();
  stage.answer = () => null;
  await goOn(stage, 60);
  expect([tab.told, stage.performed]).toEqual([['entry-1 done'], ['Dusk']]);
});

test('a conflict is told though the network fails between its answers', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  let asked = 0;
  // The answer to the first attempt is lost; from then on 409, and each second attempt fails on the network.
  stage.answer = () => {
    asked += 1;
    return asked % 2 === 1 ? Promise.reject(new TypeError('network')) : json({ is: 'taken' }, {}, 409);
  };
  await tab.queue(1, 'Dusk');
  await goOn(stage, 3_600);
  expect([asked > 20, (await tab.list()).map(({ state }) => state)]).toEqual([false, ['conflict']]);
});
