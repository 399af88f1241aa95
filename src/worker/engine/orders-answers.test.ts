import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { parsed } from '../contracts/read-body.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { json, until } from '../platform/system.fixture.ts';
import type { Seen } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';

const PUT: Wish = { method: 'PUT' };

type Ask = (stage: EngineStage, wish: Wish) => Promise<ReadOutcome>;

/** A call with an exchange of its own: those that ask for the same would share one. */
const CALL: Ask = (stage, wish) => {
  const answerSize = 1_000_000 + stage.system.requests.length;
  return stage.call({ ...wish, policy: { answerSize, ...wish.policy } });
};
const TICK: Ask = (stage, wish) => stage.tick({}, wish);
const PARSED: Ask = (stage, wish) => stage.tick({ reading: { kind: 'parsed' } }, wish);
const HELD: Ask = (stage, wish) => stage.tick({ held: true }, wish);

interface Asked {
  readonly outcome: Promise<Outcome>;
}

/** A server whose answers come when they are let. */
class Server {
  readonly stage: EngineStage = new EngineStage((seen) => this.#serve(seen));
  readonly open: { readonly seen: Seen; readonly answer: (response: Response) => void }[] = [];

  letGo: () => void = () => {};

  /** How many requests have gone out so far. */
  get asked(): number {
    return this.stage.system.requests.length;
  }

  /** Resolves when the request is out. */
  async ask(ask: Ask, wish: Wish = {}): Promise<Asked> {
    const before = this.asked;
    const outcome = ask(this.stage, wish);
    await this.untilAsked(before + 1);
    return { outcome: outcome.then(parsed) };
  }

  /** Lets one answer come, by the place of its request among those that are open. */
  answer(place: number, response: Response): void {
    this.open.splice(place, 1)[0]?.answer(response);
  }

  /** Has the storage do nothing of that kind until it is let go. */
  holdUp(what: 'write' | 'body'): void {
    const { responses } = this.stage;
    const open = new Promise<void>((resolve) => (this.letGo = resolve));
    const [write, body] = [responses.write.bind(responses), responses.body.bind(responses)];
    if (what === 'write') responses.write = (...order) => open.then(() => write(...order));
    else responses.body = (...order) => open.then(() => body(...order));
  }

  untilAsked(requests: number): Promise<void> {
    return until(() => this.asked >= requests);
  }

  async stored(): Promise<unknown> {
    await this.stage.cache.settled();
    const newest = await this.stage.newest();
    return newest && gist(parsed(newest));
  }

  #serve(seen: Seen): Promise<Response> {
    return new Promise((answer) => this.open.push({ seen, answer }));
  }
}

describe('a write to the same URL', () => {
  test.each([
    ['a poll', TICK, {}],
    ['a call', CALL, {}],
    ['a poll of what is not stored', TICK, { policy: { cache: 'network-only' } }],
  ] as const)('%s that was asked for before it has finished is asked for again', async (_, ask, wish) => {
    const server = new Server();
    const slow = await server.ask(ask, wish);
    const put = await server.ask(CALL, PUT);
    server.answer(1, json(null));
    await put.outcome;
    server.answer(0, json(['before']));
    await server.untilAsked(3);
    server.answer(0, json(['after']));
    expect(gist(await slow.outcome)).toEqual(['after']);
  });

  test('has a read afterwards tell, and keep, what is newer', async () => {
    const server = new Server();
    const slow = await server.ask(TICK);
    const put = await server.ask(CALL, PUT);
    server.answer(1, json(null));
    await put.outcome;
    const after = await server.ask(CALL);
    server.answer(1, json(['after']));
    expect(gist(await after.outcome)).toEqual(['after']);
    server.answer(0, json(['before']));
    expect(revisionOf(await slow.outcome)).toEqual(revisionOf(await after.outcome));
    expect(gist(await slow.outcome)).toEqual(['after']);
    expect(await server.stored()).toEqual(['after']);
    expect(server.asked).toBe(3);
  });

  test('makes a 304 from before it worth nothing', async () => {
    const server = new Server();
    const first = await server.ask(TICK);
    server.answer(0, json(['before'], { ETag: '"1"' }));
    await first.outcome;
    const slow = await server.ask(TICK);
    const put = await server.ask(CALL, PUT);
    server.answer(1, json(null));
    await put.outcome;
    server.answer(0, new Response(null, { status: 304 }));
    await server.untilAsked(4);
    server.answer(0, json(['after'], { ETag: '"2"' }));
    expect(gist(await slow.outcome)).toEqual(['after']);
  });

  test('that finished before says nothing of a read, nor does one to another URL', async () => {
    const server = new Server();
    const put = await server.ask(CALL, PUT);
    server.answer(0, json(null));
    await put.outcome;
    const read = await server.ask(TICK);
    const other = await server.ask(CALL, { ...PUT, template: '/photo/2' });
    server.answer(1, json(null));
    await other.outcome;
    server.answer(0, json(['it']));
    expect(gist(await read.outcome)).toEqual(['it']);
    expect(server.asked).toBe(3);
  });

  test('has nothing told that was answered before it finished, where a newer answer came first', async () => {
    const server = new Server();
    const slow = await server.ask(TICK);
    const remove = await server.ask(CALL, { method: 'DELETE' });
    const call = await server.ask(CALL);
    server.answer(2, json(['before']));
    await call.outcome;
    server.answer(1, json(null));
    await remove.outcome;
    server.answer(0, json(['oldest']));
    await server.untilAsked(4);
    server.answer(0, json(['after']));
    expect(gist(await slow.outcome)).toEqual(['after']);
  });

  test('has an answer asked for again that is being stored meanwhile, and that one is told as news', async () => {
    const server = new Server();
    server.holdUp('write');
    const tick = await server.ask(TICK);
    server.answer(0, json(['before'], { ETag: '"1"' }));
    await settle();
    const put = await server.ask(CALL, PUT);
    server.answer(0, json(null));
    await put.outcome;
    server.letGo();
    await server.untilAsked(3);
    expect(server.open[0]?.seen.headers.get('if-none-match')).toBeNull();
    server.answer(0, json(['after']));
    expect(gist(await tick.outcome)).toEqual(['after']);
    expect(await tick.outcome).toMatchObject({ confirmed: false });
  });

  test('makes a 304 worth nothing for which the stored answer is still being read', async () => {
    const server = new Server();
    const first = await server.ask(PARSED);
    server.answer(0, json(['before'], { ETag: '"1"' }));
    await first.outcome;
    const slow = await server.ask(PARSED);
    server.holdUp('body');
    server.answer(0, new Response(null, { status: 304 }));
    await settle();
    const put = await server.ask(CALL, PUT);
    server.answer(0, json(null));
    await put.outcome;
    server.letGo();
    await server.untilAsked(4);
    server.answer(0, json(['after'], { ETag: '"2"' }));
    expect(gist(await slow.outcome)).toEqual(['after']);
  });

  test('does not cost a long-poll the news that it was held for', async () => {
    const server = new Server();
    const held = await server.ask(HELD);
    const post = await server.ask(CALL, { method: 'POST' });
    server.answer(1, json(null));
    await post.outcome;
    server.answer(0, json(['news']));
    expect(gist(await held.outcome)).toEqual(['news']);
    expect(server.asked).toBe(2);
  });

  test('does not have a long-poll asked for again whose answer is being stored meanwhile', async () => {
    const server = new Server();
    server.holdUp('write');
    const held = await server.ask(HELD);
    const post = await server.ask(CALL, { method: 'POST' });
    server.answer(0, json(['news']));
    await settle();
    server.answer(0, json(null));
    await post.outcome;
    server.letGo();
    expect(gist(await held.outcome)).toEqual(['news']);
    expect(server.asked).toBe(2);
  });

  test.each([
    ['a poll', TICK],
    ['a long-poll', HELD],
  ] as const)('is none where it is %s by POST, however often that asks', async (_, ask) => {
    const server = new Server();
    const read = await server.ask(TICK);
    for (let tick = 1; tick <= 4; tick += 1) {
      const search = await server.ask(ask, { method: 'POST' });
      server.answer(1, json(['found', tick]));
      expect(gist(await search.outcome)).toEqual(['found', tick]);
    }
    server.answer(0, json(['it']));
    expect(gist(await read.outcome)).toEqual(['it']);
    expect(server.asked).toBe(5);
  });

  test('after another holds no reader for ever: the fourth answer counts', async () => {
    const server = new Server();
    const read = await server.ask(TICK);
    for (let write = 1; write <= 4; write += 1) {
      const put = await server.ask(CALL, PUT);
      server.answer(1, json(null));
      await put.outcome;
      server.answer(0, json([write]));
      if (write < 4) await server.untilAsked(2 * write + 1);
    }
    expect(gist(await read.outcome)).toEqual([4]);
  });
});

describe('of two answers', () => {
  test.each([
    ['calls', CALL],
    ['ticks', TICK],
  ] as const)('to %s the one that was asked for later is newer, whichever comes first', async (_, ask) => {
    const server = new Server();
    const [one, other] = [await server.ask(ask), await server.ask(ask)];
    server.answer(1, json(['newer']));
    const newer = await other.outcome;
    server.answer(0, json(['older']));
    expect(gist(await one.outcome)).toEqual(['newer']);
    const told = { changed: true, confirmed: false, stale: false, servedFrom: 'network' };
    expect(await one.outcome).toMatchObject(told);
    expect(revisionOf(newer)).toEqual(revisionOf(await one.outcome));
    expect(await server.stored()).toEqual(['newer']);
    expect(server.asked).toBe(2);
  });

  test('that are not stored, the older is asked for again', async () => {
    const server = new Server();
    const [one, other] = [await server.ask(CALL), await server.ask(CALL)];
    server.answer(1, json(['newer'], { 'Cache-Control': 'no-store' }));
    await other.outcome;
    server.answer(0, json(['older'], { 'Cache-Control': 'no-store' }));
    await server.untilAsked(3);
    server.answer(0, json(['newest'], { 'Cache-Control': 'no-store' }));
    expect(gist(await one.outcome)).toEqual(['newest']);
  });

  test('the older stays away where the newer confirms what is stored', async () => {
    const server = new Server();
    const first = await server.ask(TICK);
    server.answer(0, json(['stored'], { ETag: '"1"' }));
    await first.outcome;
    const [one, other] = [await server.ask(TICK), await server.ask(TICK)];
    server.answer(1, new Response(null, { status: 304 }));
    await other.outcome;
    server.answer(0, json(['older'], { ETag: '"0"' }));
    expect(gist(await one.outcome)).toEqual(['stored']);
    expect(await server.stored()).toEqual(['stored']);
  });

  test('the older is not told once the newer has been, though it came first and has only just been stored', async () => {
    const server = new Server();
    server.holdUp('write');
    const one = await server.ask(TICK);
    server.answer(0, json(['older']));
    await settle();
    const other = await server.ask(CALL);
    server.answer(0, json(['newer']));
    expect(gist(await other.outcome)).toEqual(['newer']);
    server.letGo();
    expect(gist(await one.outcome)).toEqual(['newer']);
    expect(server.asked).toBe(2);
  });

  test('that are asked for with other headers of the page, each is its own', async () => {
    const server = new Server();
    const one = await server.ask(CALL, { headers: [['X-Size', 'small']] });
    const other = await server.ask(CALL);
    server.answer(1, json(['large']));
    await other.outcome;
    server.answer(0, json(['small']));
    expect(gist(await one.outcome)).toEqual(['small']);
  });

  test('the older, of a poll, is asked for again where the newer is of a call that stores nothing', async () => {
    const server = new Server();
    const poll = await server.ask(TICK);
    const call = await server.ask(CALL, { policy: { cache: 'network-only' } });
    server.answer(1, json(['newer']));
    expect(gist(await call.outcome)).toEqual(['newer']);
    server.answer(0, json(['older']));
    await server.untilAsked(3);
    server.answer(0, json(['newest']));
    expect(gist(await poll.outcome)).toEqual(['newest']);
  });

  test('that are asked for with other credentials, each is its own', async () => {
    const server = new Server();
    const anonymous = await server.ask(CALL, { policy: { credentials: 'omit' } });
    const personal = await server.ask(CALL, { policy: { credentials: 'include' } });
    server.answer(1, json(['personal']));
    expect(gist(await personal.outcome)).toEqual(['personal']);
    server.answer(0, json(['public']));
    expect(gist(await anonymous.outcome)).toEqual(['public']);
  });

  test('the failure of the newer leaves the older', async () => {
    const server = new Server();
    const [one, other] = [await server.ask(CALL), await server.ask(CALL)];
    server.answer(1, json(null, {}, 503));
    await other.outcome;
    server.answer(0, json(['older']));
    expect(gist(await one.outcome)).toEqual(['older']);
  });
});

test('nothing is remembered of reads that have ended', async () => {
  const server = new Server();
  const all = [await server.ask(CALL), await server.ask(TICK, { template: '/photo/2' })];
  server.answer(0, json([1]));
  server.answer(0, json([2], {}, 500));
  await Promise.all(all.map(({ outcome }) => outcome));
  expect(server.stage.engine.reads).toBe(0);
});

function revisionOf(outcome: Outcome): unknown {
  return outcome.kind === 'answered' ? outcome.revision : null;
}
