import { expect, test } from 'vitest';
import { retryAfter } from '../../shared/header.ts';
import { order, Stage } from './order.fixture.ts';

const BUSY = { status: 503, headers: { 'Retry-After': '60', 'Content-Type': 'text/plain' } };

function body(then: (controller: ReadableStreamDefaultController<Uint8Array>) => void): ReadableStream {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(new Uint8Array([1]));
      then(controller);
    },
  });
}

test.each<[string, () => ReadableStream, number]>([
  ['breaks off', () => body((controller) => controller.error(new TypeError('cut'))), 1_000],
  ['is too large', () => body((controller) => controller.enqueue(new Uint8Array(2_000))), 1_000],
])('a refusal whose body %s says when to ask again all the same', async (_what, stream, answerSize) => {
  const stage = new Stage(() => new Response(stream(), BUSY));
  const outcome = await stage.send(order({ policy: { answerSize } }));
  expect(outcome).toMatchObject({ kind: 'failed', answer: { status: 503 } });
  expect(outcome.kind === 'failed' && retryAfter(outcome.answer?.headers ?? [], 0)).toBe(60_000);
});

test('a refusal whose body does not end in time says when to ask again all the same', async () => {
  const stage = new Stage(
    () =>
      new Response(
        body(() => {}),
        BUSY,
      ),
  );
  const sending = stage.send(order({ policy: { timeout: 5_000 } }));
  await stage.clock.advance(5_000);
  const outcome = await sending;
  expect(outcome.kind === 'failed' && retryAfter(outcome.answer?.headers ?? [], 0)).toBe(60_000);
});
