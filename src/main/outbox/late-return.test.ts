import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import { flush } from '../session/host.fixture.ts';
import { heardOf, QueueingPage } from './queueing-page.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => page.leave());

/** Twenty minutes later another worker has answered. */
async function findsAnotherWorkerLate(): Promise<void> {
  vi.setSystemTime(Date.now() + 20 * 60_000);
  await page.host.replace();
  for (let turn = 0; turn < 8; turn += 1) await flush();
}

/** A write that ended a while ago, as a worker tells it then. */
const PAST: Partial<WriteReport> = { attempts: 1, body: null, endedAt: 1 };

describe('a call that has not heard that it is queued', () => {
  test('is handed to the next worker, however late', async () => {
    const { write } = await page.call(page.photos());
    await findsAnotherWorkerLate();
    expect(page.host.life.submitted.map(({ ticket }) => ticket?.entry)).toEqual([write.entry]);
  });

  test.each([
    ['done', [['addSuccess', null]], ['done']],
    ['discarded', [], []],
  ] as const)('hears once that it is %s, and no answer', async (state, ends, events) => {
    const photos = page.photos();
    const heard = heardOf(photos);
    const told: string[] = [];
    for (const type of ['done', 'review'])
      page.connection.outbox.addEventListener(type, () => told.push(type));
    const { id, write } = await page.call(photos);
    await findsAnotherWorkerLate();
    await page.tellQueued(id, { ...write, ...PAST, state });
    await page.tell({ ...write, ...PAST, state });
    const result = { kind: 'queued', entry: { state } };
    expect(await photos.result(id)).toMatchObject(result);
    expect(heard).toMatchObject([
      ['addQueued', id, result],
      ['queued', id, result],
      ...ends.map(([type, response]) => [type, id, response]),
    ]);
    expect(told).toEqual(events);
  });
});
