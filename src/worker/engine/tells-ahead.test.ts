import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import type { EarlyChunk } from '../contracts/read-body.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { parsed } from '../contracts/read-body.ts';
import { json, unreachable } from '../platform/system.fixture.ts';

const ETAG = { ETag: '"1"' };

/** Whether nothing is left to be written. Of what a database does nothing happens within one turn of the event loop. */
async function isStored(stage: EngineStage): Promise<boolean> {
  let isSettled = false;
  void stage.cache.settled().then(() => (isSettled = true));
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  return isSettled;
}

test('JSON is told before it is stored', async () => {
  const stage = new EngineStage(() => json([1]));
  expect(await stage.call()).toMatchObject({ changed: true, revision: { number: 1 } });
  expect(await isStored(stage)).toBe(false);
  await stage.cache.settled();
  expect(await stage.entries).toBe(1);
  expect(await stage.newest()).toMatchObject({ revision: { number: 1 } });
});

describe('the rows of a long list are told while it is read', () => {
  const rows = Array.from({ length: 4 }, () => 'x'.repeat(LIMITS.chunkSize / 2));

  test.each([
    ['to their end', () => {}, 3],
    ['and no more once the request is over', (request: AbortController) => request.abort(), 1],
  ])('%s', async (_what, hear, count) => {
    const stage = new EngineStage(() => json(rows));
    const request = new AbortController();
    const told: number[] = [];
    const takeEarly = ({ index }: EarlyChunk): void => {
      told.push(index);
      hear(request);
    };
    await stage.tick({ takeEarly }, {}, request.signal);
    await stage.cache.settled();
    expect(told).toHaveLength(count);
  });
});

test('bytes are told before they are stored, which keeps a copy: they may be handed over', async () => {
  const stage = new EngineStage(
    () => new Response(new Uint8Array(3), { headers: { 'Content-Type': 'image/png' } }),
  );
  const told = await stage.call();
  expect(await isStored(stage)).toBe(false);
  const body = told.kind === 'answered' && told.answer.body;
  if (!body || body.kind !== 'bytes') throw new Error('These are no bytes');
  structuredClone(body.bytes, { transfer: [body.bytes] });
  await stage.cache.settled();
  expect(await stage.entries).toBe(1);
  stage.system.serve = unreachable;
  expect(gist(parsed(await stage.call()))).toBe(3);
});

test('what was told is revalidated, and confirmed with its body', async () => {
  const stage = new EngineStage(({ headers }) =>
    headers.has('if-none-match') ? new Response(null, { status: 304 }) : json([1], ETAG),
  );
  const first = await stage.call();
  const second = await stage.call();
  expect(second).toMatchObject({ confirmed: true, changed: false, revision: { number: 1 } });
  expect(stage.sent(1, 'if-none-match')).toBe('"1"');
  expect(gist(parsed(second))).toEqual(gist(parsed(first)));
});

test('a loop that asks next compares with what was told', async () => {
  const stage = new EngineStage(() => json([{ id: 1 }]));
  const told = await stage.call();
  const tick = await stage.revise();
  expect(tick).toMatchObject({ changed: false });
  expect(tick.kind === 'answered' && told.kind === 'answered' && tick.revision).toEqual(
    told.kind === 'answered' && told.revision,
  );
});

test('without a network what another engine has stored meanwhile is served', async () => {
  const stage = new EngineStage(() => json([1]));
  await stage.call();
  await stage.cache.settled();
  const other = stage.reborn();
  other.system.serve = () => json([2]);
  await other.revise();
  stage.system.serve = unreachable;
  expect(gist(parsed(await stage.call()))).toEqual([2]);
});
