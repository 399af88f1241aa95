import { expect, test } from 'vitest';
import { isLeftOut } from '../../shared/outbox.ts';
import { goOn, OutboxStage, rounds } from './outbox-stage.fixture.ts';

function broken(then: (controller: ReadableStreamDefaultController<Uint8Array>) => void): Response {
  const body = new ReadableStream({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode('{"title":"the'));
      then(controller);
    },
  });
  return new Response(body, { status: 412, headers: { 'Content-Type': 'application/json', ETag: '"5"' } });
}

test.each<[string, (controller: ReadableStreamDefaultController<Uint8Array>) => void]>([
  ['breaks off', (controller) => controller.error(new TypeError('cut'))],
  ['does not end in time', () => {}],
])(
  'a version whose body %s was not seen by anybody: the conflict says so, and is not replaced unseen',
  async (_what, then) => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => broken(then);
    await tab.queue(1, 'mine', { method: 'PUT', template: '/photo/7' });
    await goOn(stage, 70);
    await rounds();
    const conflict = tab.writes.find(({ state }) => state === 'conflict');
    // `OutboxEvent.replace` rejects where the version was left out.
    expect(conflict?.answer && [conflict.answer.body, isLeftOut(conflict.answer)]).toMatchObject([{}, true]);
  },
);
