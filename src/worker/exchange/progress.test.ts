import { expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import type { Progress } from '../../shared/delivery.ts';
import { from, order, PAGE, respond, Stage } from './order.fixture.ts';

/** What is told of a body whose chunks of ten bytes come at these milliseconds. */
async function told(
  arrivals: readonly number[],
  headers: readonly Header[],
  type: ResponseType = 'basic',
): Promise<Progress[]> {
  const progress: Progress[] = [];
  const stage = new Stage(() => from(`${PAGE}/photo`, respond(body(stage, arrivals), headers), type));
  const sent = stage.send(order(), { progress: (each) => void progress.push(each) });
  await stage.clock.advance(10_000);
  await sent;
  return progress;
}

function body(stage: Stage, arrivals: readonly number[]): ReadableStream<Uint8Array> {
  const start = stage.clock.now();
  const left = [...arrivals];
  return new ReadableStream({
    async pull(controller): Promise<void> {
      const next = left.shift();
      if (next === undefined) return controller.close();
      await stage.clock.sleep(start + next - stage.clock.now());
      controller.enqueue(new Uint8Array(10));
    },
  });
}

test('progress is told at most ten times a second, and at the end', async () => {
  const every20 = Array.from({ length: 51 }, (_, index) => index * 20);
  const progress = await told(every20, []);
  expect(progress).toHaveLength(11);
  expect(progress.at(0)).toEqual({ loaded: 60, total: null });
  expect(progress.at(-1)).toEqual({ loaded: 510, total: null });
});

test('a body that comes at once is told once', async () => {
  expect(await told([0, 0], [])).toEqual([{ loaded: 20, total: null }]);
});

test('an empty body is told too', async () => {
  expect(await told([], [])).toEqual([{ loaded: 0, total: null }]);
});

test('the total is what was announced', async () => {
  expect(await told([0, 200], [['Content-Length', '20']])).toEqual([
    { loaded: 20, total: 20 },
    { loaded: 20, total: 20 },
  ]);
});

test.each<[string, Header[], ResponseType]>([
  [
    'a coding hides the length',
    [
      ['Content-Length', '15'],
      ['Content-Encoding', 'gzip'],
    ],
    'basic',
  ],
  ['another origin may hide the coding', [['Content-Length', '20']], 'cors'],
  ['more came than was announced', [['Content-Length', '15']], 'basic'],
  ['the length is garbage', [['Content-Length', 'many']], 'basic'],
])('there is no total where %s', async (_name, headers, type) => {
  expect(await told([0, 0], headers, type)).toEqual([{ loaded: 20, total: null }]);
});

test('the bytes that were counted are the body', async () => {
  const stage = new Stage(() => respond('{"a":1}', [['Content-Type', 'application/json']]));
  const exchanged = await stage.send(order(), { progress: () => {} });
  expect(exchanged).toMatchObject({ answer: { body: { value: { a: 1 } } } });
});

test('a body with less than was announced has broken off', async () => {
  const stage = new Stage(() => respond('[1]', [['Content-Length', '30']]));
  expect(await stage.send(order())).toMatchObject({ kind: 'failed', failure: { code: 'network' } });
});

test('a HEAD announces a body that does not come', async () => {
  const stage = new Stage(() => respond(null, [['Content-Length', '30']]));
  expect(await stage.send(order({ method: 'HEAD' }))).toMatchObject({ kind: 'answered' });
});
