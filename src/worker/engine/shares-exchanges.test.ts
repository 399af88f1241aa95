import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import type { StepDelivery } from '../contracts/engine-request.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { parsed } from '../contracts/read-body.ts';
import type { ReadOutcome } from '../contracts/read-body.ts';
import { json } from '../platform/system.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { EngineStage, gist } from './engine.fixture.ts';

const STALE = { 'Cache-Control': 'max-age=0' };

/** A server that holds each request until it is let answer; its answers count its requests. */
class Server {
  readonly stage: EngineStage;
  readonly #held: Deferred[] = [];
  /** How many requests were given up. */
  cut = 0;

  constructor(respond: (nth: number) => Response = (nth) => json([nth], STALE)) {
    this.stage = new EngineStage(async ({ init: { signal } }) => {
      const nth = this.asked;
      const held = new Deferred();
      this.#held.push(held);
      signal?.addEventListener('abort', () => {
        this.cut += 1;
        held.resolve();
      });
      await held.promise;
      return respond(nth);
    });
  }

  get asked(): number {
    return this.stage.system.requests.length;
  }

  /** A page's call, whose request is out by now if it makes one. */
  async call(wish: Wish = {}, signal?: AbortSignal): Promise<Called> {
    const asked = { ...wish, policy: { revalidate: false, ...wish.policy } };
    const called = new Called(this.stage.call(asked, signal));
    await rest();
    return called;
  }

  /** Answers the first so many requests of those that wait, or all. */
  async answer(count: number = this.#held.length): Promise<void> {
    for (const { resolve } of this.#held.splice(0, count)) resolve();
    await rest();
  }

  /** Makes a write, or what `wish` says, that is answered at once. */
  async write(wish: Wish, response: Response = json('written')): Promise<void> {
    const { serve } = this.stage.system;
    this.stage.system.serve = () => response;
    await this.call(wish);
    this.stage.system.serve = serve;
  }
}

/** A call, and how it ended. */
class Called {
  outcome: ReadOutcome | null = null;

  constructor(call: Promise<ReadOutcome>) {
    void call.then((outcome) => (this.outcome = outcome));
  }

  get gist(): unknown {
    return this.outcome && gist(parsed(this.outcome));
  }

  get code(): string | null {
    return this.outcome?.kind === 'failed' ? this.outcome.failure.code : null;
  }
}

async function rest(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await settle();
}

test('equal calls are one request, and each is told its answer', async () => {
  const server = new Server();
  const calls = [await server.call(), await server.call(), await server.call()];
  expect(server.asked).toBe(1);
  await server.answer();
  expect(calls.map((each) => each.gist)).toEqual([[1], [1], [1]]);
  expect(server.stage.noted).toHaveLength(1);
  expect(server.stage.engine.reads).toBe(0);
});

test('calls that are made in one turn are one request', async () => {
  const server = new Server();
  const calls = await Promise.all([server.call(), server.call()]);
  await server.answer();
  expect([server.asked, calls.map((each) => each.gist)]).toEqual([1, [[1], [1]]]);
});

test('a call after the answer asks anew', async () => {
  const server = new Server();
  await server.call();
  await server.answer();
  const next = await server.call();
  await server.answer();
  expect([server.asked, next.gist]).toEqual([2, [2]]);
});

test('calls for different URLs, by other methods or with other headers are requests of their own', async () => {
  const server = new Server();
  await server.call();
  await server.call({ template: '/other' });
  await server.call({ headers: [['X-A', '1']] });
  await server.call({ policy: { revalidate: true } });
  await server.call({ method: 'HEAD' });
  await server.call({ method: 'HEAD' });
  expect(server.asked).toBe(6);
});

test('what the worker hook sets counts, too', async () => {
  const server = new Server();
  await server.call();
  server.stage.hook = (request) => request.setRequestHeader('Authorization', 'anna');
  await server.call();
  await server.call();
  expect(server.asked).toBe(2);
});

test('bytes are each call’s own, since they go to its page', async () => {
  const server = new Server(
    () => new Response(new Uint8Array(3), { headers: { 'Content-Type': 'image/png' } }),
  );
  const calls = [await server.call(), await server.call(), await server.call()];
  await server.answer();
  const buffers = calls.map(({ outcome }) => {
    const body = outcome?.kind === 'answered' && outcome.answer.body;
    if (!body || body.kind !== 'bytes') throw new Error('These are no bytes');
    structuredClone(body.bytes, { transfer: [body.bytes] });
    return body.bytes;
  });
  expect(new Set(buffers).size).toBe(3);
});

test('a failure is told to each, and noted once', async () => {
  const server = new Server(() => json(null, {}, 500));
  const calls = [await server.call(), await server.call()];
  await server.answer();
  expect(calls.map(({ code }) => code)).toEqual(['http', 'http']);
  expect(server.stage.noted).toHaveLength(1);
});

test('what is stored is removed once where the server refuses', async () => {
  const server = new Server((nth) => (nth === 1 ? json([1], STALE) : json(null, {}, 404)));
  await server.call();
  await server.answer();
  const calls = [await server.call(), await server.call()];
  await server.answer();
  await server.stage.cache.settled();
  expect([calls.map(({ code }) => code), await server.stage.entries]).toEqual([['http', 'http'], 0]);
});

describe('each call', () => {
  test('is aborted alone; the request goes on for the others, also for those that come later', async () => {
    const server = new Server();
    const controller = new AbortController();
    const first = await server.call({}, controller.signal);
    const second = await server.call();
    controller.abort();
    await rest();
    expect([first.code, second.outcome, server.cut]).toEqual(['aborted', null, 0]);
    const third = await server.call();
    await server.answer();
    expect([second.gist, third.gist, server.asked]).toEqual([[1], [1], 1]);
  });

  test('has a deadline of its own, and the request that of the last', async () => {
    const server = new Server();
    const { clock } = server.stage.system;
    const first = await server.call({ policy: { timeout: 1_000 } });
    await clock.advance(500);
    const second = await server.call({ policy: { timeout: 1_000 } });
    await clock.advance(500);
    expect(first.outcome).toMatchObject({
      failure: { code: 'timeout', timeout: 1_000 },
      request: { url: 'https://page.example/photo' },
    });
    expect([second.outcome, server.cut]).toEqual([null, 0]);
    await clock.advance(499);
    await server.answer();
    expect(second.gist).toEqual([1]);
  });

  test('that leaves last ends the request, and who comes then asks anew', async () => {
    const server = new Server();
    const controllers = [new AbortController(), new AbortController()];
    for (const { signal } of controllers) await server.call({}, signal);
    for (const each of controllers) each.abort();
    await rest();
    expect(server.cut).toBe(1);
    const next = await server.call();
    await server.answer();
    expect([server.asked, next.gist]).toEqual([2, [2]]);
    expect(server.stage.engine.reads).toBe(0);
  });

  test('whose time is over says something of the server', async () => {
    const server = new Server();
    await server.call({ policy: { timeout: 1_000 } });
    await server.stage.system.clock.advance(1_000);
    expect(server.stage.noted.map((each) => each.kind === 'failed' && each.failure.code)).toContain(
      'timeout',
    );
  });

  test('hears the steps, also those from before it came', async () => {
    const body = new Deferred();
    const server = new Server(
      () =>
        new Response(
          new ReadableStream({
            pull: async (controller) => {
              await body.promise;
              controller.enqueue(new TextEncoder().encode('[1]'));
              controller.close();
            },
          }),
          { headers: { 'Content-Type': 'application/json' } },
        ),
    );
    const heard: string[][] = [];
    const call = async (): Promise<void> => {
      const steps: string[] = [];
      heard.push(steps);
      void server.stage.engine.call({
        invocation: invocation({ policy: { revalidate: false } }),
        page: 'two',
        interest: { started: false, sent: true, progress: true },
        say: (step: StepDelivery) => steps.push(step({ id: 1 }).kind),
        tellFirst: () => {},
        takeEarly: null,
        signal: new AbortController().signal,
      });
      await rest();
    };
    await call();
    await server.answer();
    await call();
    body.resolve();
    await rest();
    expect(heard).toEqual([
      ['sent', 'progress'],
      ['sent', 'progress'],
    ]);
  });

  test('is told by when the request is repeated, also if it comes meanwhile', async () => {
    const server = new Server((nth) => (nth === 1 ? json(null, { 'Retry-After': '5' }, 503) : json([nth])));
    const waits: number[] = [];
    const call = async (): Promise<void> => {
      void server.stage.engine.call({
        invocation: invocation({ policy: { revalidate: false, retry: 1 } }),
        page: 'two',
        interest: { started: false, sent: false, progress: false },
        say: (step: StepDelivery) => {
          const delivery = step({ id: 1 });
          if (delivery.kind === 'waiting') waits.push(delivery.wait);
        },
        tellFirst: () => {},
        takeEarly: null,
        signal: new AbortController().signal,
      });
      await rest();
    };
    await call();
    await server.answer();
    await server.stage.system.clock.advance(2_000);
    await call();
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(5_000);
    expect(waits[1]).toBe((waits[0] ?? 0) - 2_000);
    expect(server.asked).toBe(1);
  });

  test('may have time for a repetition that another has not', async () => {
    const server = new Server((nth) => (nth === 1 ? json(null, { 'Retry-After': '5' }, 503) : json([nth])));
    const hasty = await server.call({ policy: { timeout: 1_000, retry: 1 } });
    const patient = await server.call({ policy: { timeout: 20_000, retry: 1 } });
    await server.answer();
    await server.stage.system.clock.advance(10_000);
    await server.answer();
    expect([hasty.code, patient.gist]).toEqual(['timeout', [2]]);
  });
});

describe('a call joins nothing', () => {
  test.each<[string, Wish]>([
    ['to its URL', { method: 'PUT' }],
    ['to another URL of the origin', { method: 'POST', template: '/item' }],
  ])(
    'that was asked for before a write %s ended: an app that awaits it reads what it wrote',
    async (_, wish) => {
      let state = 'before';
      const server = new Server(() => json(state));
      await server.call();
      await server.write(wish);
      state = 'after';
      const after = await server.call();
      expect(server.asked).toBe(3);
      await server.answer();
      expect(after.gist).toEqual('after');
    },
  );

  test('that was asked for while a write was under way that has ended since', async () => {
    const server = new Server();
    const writing = await server.call({ method: 'POST', template: '/item' });
    await server.call();
    await server.answer(1);
    expect(writing.outcome).toMatchObject({ kind: 'answered' });
    await server.call();
    expect(server.asked).toBe(3);
  });

  test('that was asked for before a write that failed, but may have been done', async () => {
    const server = new Server();
    await server.call();
    await server.write({ method: 'POST', template: '/item' }, json(null, {}, 500));
    await server.call();
    expect(server.asked).toBe(3);
  });

  test('that a newer answer has overtaken', async () => {
    const server = new Server();
    await server.call();
    const { serve } = server.stage.system;
    server.stage.system.serve = () => json(['newer'], STALE);
    await server.stage.invoke();
    server.stage.system.serve = serve;
    await server.call();
    expect(server.asked).toBe(3);
  });

  test('from before everything was cleared', async () => {
    const server = new Server();
    await server.call();
    await server.stage.cache.clear();
    await server.call();
    expect(server.asked).toBe(2);
  });
});

test('a write to another origin keeps no call from joining', async () => {
  const server = new Server();
  await server.call();
  const api = 'https://api.example';
  await server.write({ method: 'POST', baseUrl: api, policy: { origins: [api] } });
  await server.call();
  expect(server.asked).toBe(2);
});

test('calls that share an answer that a write bars get one that was asked for after it', async () => {
  let state = 'before';
  const server = new Server(() => json([state]));
  const calls = [await server.call(), await server.call()];
  await server.write({ method: 'PUT' });
  await server.answer();
  expect(calls.map(({ outcome }) => outcome)).toEqual([null, null]);
  state = 'after';
  await server.answer();
  expect(calls.map((each) => each.gist)).toEqual([['after'], ['after']]);
  expect(server.asked).toBe(3);
});

test('each call is told what is stored first, whenever it comes', async () => {
  const server = new Server();
  await server.call();
  await server.answer();
  const calls: Called[] = [];
  for (const _ of [1, 2]) calls.push(await server.call({ policy: { storedFirst: true } }));
  expect(server.stage.first.map((each: Outcome) => gist(each))).toEqual([[1], [1]]);
  await server.answer();
  expect([server.asked, calls.map((each) => each.gist)]).toEqual([2, [[2], [2]]]);
});
