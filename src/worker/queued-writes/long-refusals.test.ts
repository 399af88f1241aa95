import { expect, test } from 'vitest';
import { json } from '../platform/system.fixture.ts';
import { OutboxStage } from './outbox-stage.fixture.ts';

const LONG = 'x'.repeat(900_000);

test('what a server says to have a write come again is neither kept nor listed: thousands may wait', async () => {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = () => json({ why: LONG }, {}, 503);
  await tab.queue(1, 'Dusk');
  await stage.failed(tab, 1);
  expect(await tab.list()).toMatchObject([{ failure: { code: 'http', status: 503 }, answer: null }]);
});

test.each([409, 422])(
  'a long refusal (%s) is told whole, and kept no longer than its headers',
  async (status) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({ why: LONG }, { ETag: '"2"' }, status);
    await tab.queue(1, 'Dusk');
    await tab.heard(`entry-1 ${status === 409 ? 'conflict' : 'review'}`);
    expect(tab.writes.at(-1)?.answer?.body).toMatchObject({ value: { why: LONG } });
    const [listed] = await tab.list();
    expect(listed?.answer).toMatchObject({ status, body: { value: null } });
  },
);
