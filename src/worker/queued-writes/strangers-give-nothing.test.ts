import { expect, test } from 'vitest';
import { json, until } from '../platform/system.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

const ORIGIN = 'https://page.example';

/** The tab has a provider, which gives what is that user's. */
function provides(tab: OutboxTab, user: string, expiresAt: () => number | null = () => null): void {
  tab.listener = (delivery) => {
    if (delivery.kind !== 'credentials-wanted') return;
    const headers = [['Authorization', `Bearer ${user}`]] as const;
    const reply = { kind: 'given', headers, expiresAt: expiresAt() } as const;
    void tab.remote.control({ kind: 'credentials', question: delivery.question, reply });
  };
  tab.wish = { provides: [ORIGIN] };
}

/** Anna's tab, which is hidden, and whose credentials have to be asked for again after a second. */
async function annas(stage: OutboxStage): Promise<OutboxTab> {
  const tab = stage.open();
  provides(tab, 'anna', () => stage.world.clock.now() + 1_000);
  await tab.sign('anna');
  await tab.remote.control({ kind: 'visibility', hidden: true });
  return tab;
}

function sentIn(stage: OutboxStage): ReadonlySet<string | null> {
  return new Set(stage.world.requests.map(({ headers }) => headers.get('Authorization')));
}

test('what a page gives that has not said for whom it is goes with no write that waits', async () => {
  const stage = new OutboxStage();
  const tab = await annas(stage);
  stage.answer = () => json({}, {}, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  // Bert has signed in at the server in another tab, which has its token. Its app is about to say so here.
  const next = stage.open();
  provides(next, 'bert');
  await next.greet();
  stage.answer = () => null;
  await goOn(stage, 30);
  await rounds();
  expect([stage.performed, sentIn(stage)]).toEqual([['Dusk'], new Set(['Bearer anna'])]);
});

test('nor does it go with what other pages ask for', async () => {
  const stage = new OutboxStage();
  const tab = await annas(stage);
  const next = stage.open();
  provides(next, 'bert');
  await next.greet();
  const call = {
    ...submission(50, { template: '/me' }),
    ...(tab.epoch !== undefined && { epoch: tab.epoch }),
  };
  await tab.submitAll([call]);
  await until(() => tab.settled.includes(50));
  expect(sentIn(stage)).toEqual(new Set(['Bearer anna']));
});

test('once it has said that it is for the same user, it resumes what is paused', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.sign('anna');
  stage.answer = ({ headers }) => (headers.get('Authorization') === 'Bearer anna' ? null : json({}, {}, 401));
  await tab.queue(1, 'Dusk');
  await tab.heard('entry-1 paused');
  const next = stage.open();
  provides(next, 'anna');
  await next.greet();
  await goOn(stage, 30);
  expect(stage.performed).toEqual([]);
  await next.sign('anna');
  await goOn(stage, 30);
  expect(stage.performed).toEqual(['Dusk']);
});

test('and it is asked for what waits for the answer of a tab that is gone', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  await tab.sign('anna');
  await tab.remote.control({ kind: 'provides', origins: [ORIGIN] });
  await tab.queue(1, 'Dusk');
  await until(() => tab.deliveries.some(({ kind }) => kind === 'credentials-wanted'));
  const next = stage.open();
  provides(next, 'anna');
  await next.greet();
  void tab.remote.control({ kind: 'leave' });
  await rounds();
  expect(stage.performed).toEqual([]);
  await next.sign('anna');
  await rounds();
  expect(stage.performed).toEqual(['Dusk']);
});

test('where nobody has signed in, a page gives without saying for whom it is', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  provides(tab, 'whoever');
  await tab.queue(1, 'Dusk');
  await rounds();
  expect([stage.performed, sentIn(stage)]).toEqual([['Dusk'], new Set(['Bearer whoever'])]);
});
