import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shortfalls } from './verdict.mjs';
import { Writes } from './writes.mjs';

/** @type {Writes} */
let writes;
/** @type {import('node:http').Server} */
let server;

beforeEach(async () => {
  writes = new Writes();
  server = createServer((request, response) => void writes.take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/**
 * @param {number} number
 * @param {string} key
 * @param {AbortSignal} [signal]
 */
async function send(number, key, signal) {
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const body = JSON.stringify({ number });
  const headers = { 'Idempotency-Key': key };
  const response = await fetch(`http://127.0.0.1:${port}/writes/a`, {
    method: 'POST',
    headers,
    body,
    ...(signal && { signal }),
  });
  return response.status;
}

test('A key that is asked for again has one effect, and is a repeated request', async () => {
  expect(await send(1, 'a')).toBe(201);
  expect(await send(1, 'a')).toBe(201);
  expect(writes).toMatchObject({ performed: 1, twice: 0, repeated: 1, requests: 2 });
});

test('A write under another key, or under none, has a second effect', async () => {
  for (const [number, key] of [
    [1, 'a'],
    [1, 'b'],
    [2, ''],
    [2, ''],
  ])
    await send(Number(number), String(key));
  expect(writes).toMatchObject({ performed: 2, twice: 2, repeated: 2 });
});

test('What is busy, a portal or swallowed has no effect, and what is unheard has one', async () => {
  writes.fate = (number) => (number === 1 ? 'busy' : 'portal');
  expect([await send(1, 'a'), await send(2, 'b')]).toEqual([503, 200]);
  for (const fate of /** @type {const} */ (['swallowed', 'unheard'])) {
    writes.fate = () => fate;
    await expect(send(3, 'c', AbortSignal.timeout(100))).rejects.toThrow('timeout');
  }
  expect(writes).toMatchObject({ performed: 1, repeated: 0, requests: 4 });
});

const GOOD = {
  library: 'Offstage',
  scenario: 'back',
  count: 10,
  lanes: 4,
  stops: 2,
  accepted: 10,
  waiting: 0,
  lost: 0,
  twice: 0,
  repeated: 8,
  requests: 18,
  drain: 100,
  cpu: 1,
};
const PEER = { ...GOOD, library: 'Workbox', lost: 5, drain: 250 };

test('The bars hold where nothing is lost, and one request a lane and stop is repeated', () => {
  expect(shortfalls([GOOD, PEER], 'back')).toEqual([]);
});

test.each([
  ['9 of 10 writes were accepted', { accepted: 9 }],
  ['1 writes were lost', { lost: 1 }],
  ['3 writes have not arrived', { waiting: 3 }],
  ['1 writes had more than one effect', { twice: 1 }],
  ['9 repeated requests with 2 stops', { repeated: 9 }],
  ['takes 2.3 times as long as ours, not 2.5', { drain: 110 }],
])('A bar fails: %s', (message, change) => {
  expect(shortfalls([{ ...GOOD, ...change }, PEER], 'back').join()).toContain(message);
});

test('A run without figures does not hold the bars', () => {
  expect(shortfalls([GOOD], 'back')).toHaveLength(1);
});
