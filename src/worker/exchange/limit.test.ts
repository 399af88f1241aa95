import { expect, test } from 'vitest';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Limit, Pool, ReadingRoom } from './bounds.ts';
import { order, respond, Stage } from './order.fixture.ts';
import { prepare } from './request.ts';
import type { Order } from './request.ts';
import { Sending } from './sending.ts';

/** Where nobody waits for an answer yet. */
const answered = (_response: Response): void => {};

const NEVER = new Promise<Response>(() => {});

test('a fetch that never answers ends at its deadline, whether it heeds its signal or not', async () => {
  const stage = new Stage(() => NEVER);
  const sent = stage.send(order({ policy: { timeout: 5_000 } }));
  await stage.clock.advance(5_000);
  expect(await sent).toMatchObject({
    kind: 'failed',
    failure: { code: 'timeout', timeout: 5_000, message: expect.stringContaining('within 5000 ms') },
    answer: null,
  });
  expect(stage.requests[0]?.init.signal?.aborted).toBe(true);
});

test('of a request that waits for its turn until its deadline, nothing was sent', async () => {
  const stage = new Stage(() => NEVER);
  const one: Order = { ...order({ policy: { timeout: 5_000 } }), owner: 'page' };
  const ends = Array.from({ length: 1_000 }, () => stage.send(one));
  await stage.clock.advance(1_000);
  const sent = stage.requests.length;
  await stage.clock.advance(4_000);
  const requests = (await Promise.all(ends)).map(({ request }) => request);
  expect(sent).toBeLessThan(1_000);
  expect(requests.filter((each) => each !== null)).toHaveLength(sent);
  expect(stage.requests).toHaveLength(sent);
});

test('the caller ends it earlier', async () => {
  const caller = new AbortController();
  const stage = new Stage(() => NEVER);
  const sent = stage.send(order(), {}, caller.signal);
  caller.abort();
  expect(await sent).toMatchObject({ kind: 'failed', failure: { code: 'aborted' } });
  expect(stage.requests[0]?.init.signal?.aborted).toBe(true);
});

test('nothing is sent for a caller that has given up already', async () => {
  const stage = new Stage(() => respond('fine'));
  const exchanged = await stage.send(order(), {}, AbortSignal.abort());
  expect(exchanged).toMatchObject({ kind: 'failed', failure: { code: 'aborted' }, request: null });
  expect(stage.requests).toEqual([]);
});

/** A fetch that ends when its signal does. */
function heeding(_url: string, { signal }: RequestInit): Promise<Response> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')));
  });
}

test('an abort is not taken for a network failure', async () => {
  const stage = new Stage(heeding);
  const caller = new AbortController();
  const sent = stage.send(order({ policy: { retry: 3 } }), {}, caller.signal);
  caller.abort();
  expect(await sent).toMatchObject({ failure: { code: 'aborted' } });
  expect(stage.requests).toHaveLength(1);
});

test('whatever fails because of the limit says so itself', async () => {
  const clock = new VirtualClock();
  const system = {
    clock,
    fetch: heeding,
    isOnline: (): boolean => true,
    random: (): number => 0.5,
    pause: async (): Promise<void> => {},
  };
  const caller = new AbortController();
  const limit = new Limit(clock, order().invocation, order().url, caller.signal);
  const prepared = prepare(order());
  if (prepared.kind !== 'ready') throw new Error('not ready');
  const run = new Sending(system, order(), prepared, {}, limit, new Pool(), new ReadingRoom()).run();
  caller.abort();
  expect(await run).toMatchObject({ failure: { code: 'aborted' } });
});

test('nothing is told any more once the limit is reached', async () => {
  const told: string[] = [];
  let answer = answered;
  const stage = new Stage(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  const watch = {
    sent: (): void => void told.push('sent'),
    progress: (): void => void told.push('progress'),
  };
  const sent = stage.send(order({ policy: { timeout: 10 } }), watch);
  await stage.clock.advance(10);
  await sent;
  answer(respond('late'));
  await stage.clock.advance(1_000);
  expect(told).toEqual([]);
});

test('a listener that throws fails the request instead of holding it', async () => {
  const watch = {
    sent(): void {
      throw new Error('mistake');
    },
  };
  const exchanged = await new Stage(() => respond('fine')).send(order(), watch);
  expect(exchanged).toMatchObject({
    kind: 'failed',
    failure: { code: 'protocol', message: expect.stringContaining('mistake') },
  });
});

test('so does a request that cannot be made', async () => {
  const wished = order();
  const headers = [['X-Token', null]];
  Object.assign(wished.invocation, { headers });
  expect(await new Stage(() => respond('fine')).send(wished)).toMatchObject({
    failure: { code: 'protocol', message: expect.stringContaining('/photo went wrong on the way') },
    request: null,
  });
});
