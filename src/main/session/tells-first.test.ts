import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Chunk, SentBody } from '../../shared/delivery.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { flush } from './host.fixture.ts';
import { answered } from './invocation.fixture.ts';
import { fakeTime, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

const STORED = answered('old', { servedFrom: 'cache', stale: true });

function inChunks(chunks: number): Outcome<SentBody> {
  const body = { kind: 'chunked', path: [], envelope: 'null', chunks } as const;
  return { ...STORED, answer: { status: 200, headers: [], body } };
}

function chunk(index: number, text: string): Chunk {
  return { kind: 'chunk', to: { id: 1 }, index, path: [], text };
}

test('a call hears the stored answer, and then its end', async () => {
  const stage = new SessionStage();
  const heard = await stage.call(1);
  const { life } = stage.host;
  await life.deliver({ kind: 'preliminary', id: 1, outcome: STORED });
  expect([heard.steps, heard.ends]).toEqual([[['preliminary', 'old']], []]);
  await life.settle(1, answered('new'));
  expect([heard.steps, heard.ends]).toEqual([[['preliminary', 'old']], ['new']]);
});

test('a call that is sent again hears it once', async () => {
  const stage = new SessionStage();
  const heard = await stage.call(1);
  await stage.host.life.deliver({ kind: 'preliminary', id: 1, outcome: STORED });
  const life = await stage.host.kill();
  await flush();
  expect(life.batches).toEqual([[1]]);
  await life.deliver({ kind: 'preliminary', id: 1, outcome: STORED });
  await life.settle(1, answered('new'));
  expect([heard.steps, heard.ends]).toEqual([[['preliminary', 'old']], ['new']]);
});

test('its chunks and those of the end are kept apart', async () => {
  const stage = new SessionStage();
  const heard = await stage.call(1);
  const { life } = stage.host;
  await life.deliver(chunk(0, '[1]'), chunk(1, '[2]'), { kind: 'preliminary', id: 1, outcome: inChunks(2) });
  await life.deliver(chunk(0, '[3]'));
  await life.settle(1, inChunks(1));
  expect([heard.steps, heard.ends]).toEqual([[['preliminary', [1, 2]]], [[3]]]);
});

test('one that cannot be opened is not told, and the call goes on', async () => {
  const stage = new SessionStage();
  const heard = await stage.call(1);
  const { life } = stage.host;
  await life.deliver({ kind: 'preliminary', id: 1, outcome: inChunks(2) });
  await life.settle(1, answered('new'));
  expect([heard.steps, heard.ends, life.resyncs]).toEqual([[], ['new'], [false]]);
});
