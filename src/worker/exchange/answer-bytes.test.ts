import { expect, test } from 'vitest';
import { announcedLength, answerBytes } from './answer-bytes.ts';
import { ReadingRoom } from './bounds.ts';

const PIECE = 524_288;

const PORTS = { pause: async (): Promise<void> => {} };

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
  most = 100 * PIECE,
): Promise<readonly [pieces: number[] | string, pauses: number]> {
  let pauses = 0;
  const ports = { pause: async (): Promise<void> => void (pauses += 1) };
  const { signal } = new AbortController();
  const got = await answerBytes(
    response,
    announced,
    { most, reader: new ReadingRoom().enter() },
    null,
    signal,
    ports,
  );
  if (got.kind !== 'whole') return [got.kind, pauses];
  const whole = new Uint8Array(got.bytes);
  return [Array.from({ length: whole.length / PIECE }, (_, nth) => whole[nth * PIECE] ?? 0), pauses];
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
  expect((await read(inPieces(3, true), null))[0]).toBe('broken');
  expect((await read(inPieces(3), 4 * PIECE))[0]).toBe('broken');
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
  expect(
    await answerBytes(
      new Response(body),
      null,
      { most: PIECE, reader: new ReadingRoom().enter() },
      null,
      end.signal,
      ports,
    ),
  ).toEqual({
    kind: 'broken',
  });
});

test('one that has no end is read as far as it may be, and no further', async () => {
  let asked = 0;
  let left = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      asked += 1;
      controller.enqueue(new Uint8Array(PIECE));
    },
    cancel() {
      left = true;
    },
  });
  expect((await read(new Response(endless), null, 3 * PIECE))[0]).toBe('oversized');
  // One piece too many, and what the stream has at hand.
  expect(asked).toBeLessThanOrEqual(5);
  expect(left).toBe(true);
});

test('one that may be as long as it is, is whole; one that says that it is longer is not read', async () => {
  expect((await read(inPieces(3), 3 * PIECE, 3 * PIECE))[0]).toEqual([1, 2, 3]);
  const long = inPieces(4);
  expect((await read(long, 4 * PIECE, 3 * PIECE))[0]).toBe('oversized');
});

test('of many that have no end, the largest are given up before they take all memory', async () => {
  const room = new ReadingRoom(10 * PIECE);
  const kinds = await Promise.all(
    [1, 20, 2, 20].map(async (pieces) => {
      const allowance = { most: 100 * PIECE, reader: room.enter() };
      const { signal } = new AbortController();
      const got = await answerBytes(inPieces(pieces), null, allowance, null, signal, PORTS);
      return got.kind;
    }),
  );
  expect(kinds).toEqual(['whole', 'crowded', 'whole', 'crowded']);
});

test('one that is given up for others lets go of its bytes and its server at once', async () => {
  const room = new ReadingRoom(100);
  const cancelled: string[] = [];
  const outcome = async (name: string, bytes: number): Promise<string> => {
    // Its server falls silent after that.
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(bytes)),
      cancel: () => void cancelled.push(name),
    });
    const allowance = { most: 1_000, reader: room.enter() };
    const { signal } = new AbortController();
    return (await answerBytes(new Response(body), null, allowance, null, signal, PORTS)).kind;
  };
  const large = outcome('large', 90);
  void outcome('small', 50);
  expect(await large).toBe('crowded');
  expect(cancelled).toEqual(['large']);
});

test('one that has more than it announces counts with all its bytes', async () => {
  expect(await read(inPieces(3), 10, PIECE)).toEqual(['oversized', 0]);
  const { signal } = new AbortController();
  const allowance = { most: 100 * PIECE, reader: new ReadingRoom(2 * PIECE).enter() };
  expect((await answerBytes(inPieces(3), 10, allowance, null, signal, PORTS)).kind).toBe('crowded');
});

test.each(['Content-Encoding', 'Transfer-Encoding'])('nothing is announced beside %s', (name) => {
  const announcing = new Response('x', { headers: { 'Content-Length': '10' } });
  expect(announcedLength(announcing, 'GET')).toBe(10);
  announcing.headers.set(name, 'gzip');
  expect(announcedLength(announcing, 'GET')).toBeNull();
});
