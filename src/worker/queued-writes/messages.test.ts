import { describe, expect, test } from 'vitest';
import { json, unreachable } from '../platform/system.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { OutboxStage, waitFor } from './outbox-stage.fixture.ts';

describe('messages', () => {
  test('a ticket for a method that changes nothing is refused', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ id: 7 });
    await tab.queue(1, '', { method: 'GET', template: '/photo', body: { kind: 'none' } });
    expect([tab.refused, tab.queued]).toEqual([[1], []]);
  });

  test('what waits is listed with its data, however large', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    await tab.queue(1, 'x'.repeat(70_000));
    const [entry] = await tab.list();
    expect(entry?.body).not.toBeNull();
  });

  test('an aborted call is not sent hours later', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = unreachable;
    tab.meet();
    const body = { kind: 'text', text: 'aborted' } as const;
    const ticket = { entry: 'entry-2', key: 'key-2', resource: 'photos', action: 'add', lane: 'a' };
    void tab.submitAll([{ ...submission(2, { method: 'POST', template: '/photos', body }), ticket }]);
    await tab.remote.control({ kind: 'abort', ids: [2] });
    await waitFor(stage, 10_000);
    stage.answer = () => null;
    await waitFor(stage, 60_000);
    expect(stage.performed).toEqual([]);
  });
});
