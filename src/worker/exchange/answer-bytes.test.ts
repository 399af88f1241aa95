import { expect, test } from 'vitest';
import { answerBytes } from './answer-bytes.ts';

const PIECE = 524_288;

/** A response whose body comes in so many pieces, each of them full of its number. */
function inPieces(count: number, broken = false): Response {
  let index = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (index < count) controller.enqueue(new Uint8Array(PIECE).fill((index += 1)));
      else if (broken) controller.error(new TypeError('broken off'));
      else controller.close();
    },
  });
  return new Response(body);
}

/** The first byte of each piece of what was read, null where it broke off, and how often that paused. */
async function read(
  response: Response,
  announced: number | null,
): Promise<readonly [pieces: number[] | null, pauses: number]> {
  let pauses = 0;
  const ports = { pause: async (): Promise<void> => void (pauses += 1) };
  const bytes = await answerBytes(response, announced, null, new AbortController().signal, ports);
  const whole = bytes && new Uint8Array(bytes);
  const pieces = whole && Array.from({ length: whole.length / PIECE }, (_, nth) => whole[nth * PIECE] ?? 0);
  return [pieces, pauses];
}

test.each([
  ['that says how long it is', 5 * PIECE],
  ['that does not', null],
])(
  'other work has its turns while a long body is read and put together: one %s',
  async (_which, announced) => {
    expect(await read(inPieces(5), announced)).toEqual([[1, 2, 3, 4, 5], 4]);
  },
);

test('a short one is read at once', async () => {
  expect(await read(inPieces(1), PIECE)).toEqual([[1], 0]);
});

test('one without anything is empty', async () => {
  expect(await read(new Response(null), null)).toEqual([[], 0]);
});

test('one that breaks off, or is shorter than was announced, is none', async () => {
  expect((await read(inPieces(3, true), null))[0]).toBeNull();
  expect((await read(inPieces(3), 4 * PIECE))[0]).toBeNull();
});

test('one that was aborted on its way is none', async () => {
  const end = new AbortController();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new Uint8Array(1));
      end.abort();
    },
  });
  const ports = { pause: async (): Promise<void> => {} };
  expect(await answerBytes(new Response(body), null, null, end.signal, ports)).toBeNull();
});
