import { describe, expect, test } from 'vitest';
import { unreachable } from '../platform/system.fixture.ts';
import { stateOf } from '../platform/virtual-clock.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { OutboxStage, rounds, goOn } from './outbox-stage.fixture.ts';

/** A browser that does not say which databases there are. */
class SilentBrowser extends IDBFactory {
  names: 'told' | 'late' | 'failed' = 'told';

  override databases(): Promise<IDBDatabaseInfo[]> {
    if (this.names === 'late') return new Promise(() => {});
    if (this.names === 'told') return super.databases();
    return Promise.reject(new DOMException('Internal error', 'UnknownError'));
  }
}

describe('where the browser never says which databases there are,', () => {
  test.each(['keep', 'discard'] as const)('a sign-out with %s ends', async (pending) => {
    const browser = new SilentBrowser();
    const stage = new OutboxStage(browser);
    const tab = stage.open();
    await tab.sign('anna');
    await tab.queue(1, 'Dusk');
    await tab.heard('entry-1 done');
    browser.names = 'late';
    const out = pending === 'keep' ? tab.sign(null) : tab.discard();
    await goOn(stage, 20);
    expect(await stateOf(out)).toBe('fulfilled');
  });

  test('a write that names something by its temporary id holds up no other', async () => {
    const browser = new SilentBrowser();
    const stage = new OutboxStage(browser);
    const tab = stage.open();
    browser.names = 'late';
    await tab.greet();
    const params = [['id', `temporary-${'a'.repeat(32)}`]] as const;
    const named = tab.queue(1, 'Dusk', { template: '/photos/{id}', params });
    named.catch(() => {});
    const other = tab.queue(2, 'Dawn', {}, { lane: 'b' });
    await goOn(stage, 20);
    await other;
    expect([new Set(tab.queued), stage.performed]).toEqual([new Set([1, 2]), ['Dawn']]);
  });

  test('what waits is sent in that very life', async () => {
    const browser = new SilentBrowser();
    const stage = new OutboxStage(browser);
    stage.answer = unreachable;
    await stage.open().queue(1, 'Dusk');
    await rounds();
    browser.names = 'late';
    stage.restart();
    stage.answer = () => null;
    await stage.open().greet();
    await goOn(stage, 20);
    expect(stage.performed).toEqual(['Dusk']);
  });
});

test('what is discarded as a user goes is never sent, though the browser has failed to name its databases', async () => {
  const browser = new SilentBrowser();
  const stage = new OutboxStage(browser);
  const tab = stage.open();
  stage.answer = unreachable;
  await tab.sign('anna');
  await tab.queue(1, 'Dusk');
  await rounds();
  browser.names = 'failed';
  stage.restart();
  const next = stage.open();
  await next.sign('anna');
  await rounds();
  await next.discard();
  browser.names = 'told';
  stage.answer = () => null;
  await next.sign('anna');
  await goOn(stage, 20);
  expect(stage.performed).toEqual([]);
});
