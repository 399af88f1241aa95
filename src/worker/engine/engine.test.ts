import { describe, expect, test, vi } from 'vitest';
import type { ConfigureWorkerRequest } from './request-context.ts';
import { LIMITS } from '../../shared/limits.ts';
import { EngineStage, gist } from './engine.fixture.ts';
import { json, unreachable, until } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';

const ETAG = { ETag: '"1"' };

/** Confirms what it has sent before. */
const confirming: Serve = ({ headers }) =>
  headers.has('if-none-match') ? new Response(null, { status: 304 }) : json([1], ETAG);

describe('an answer from the network', () => {
  test('is remembered as the first of its line', async () => {
    const stage = new EngineStage(() => json([1]));
    expect(await stage.invoke()).toMatchObject({
      kind: 'answered',
      answer: { status: 200, body: { kind: 'value', value: [1] } },
      servedFrom: 'network',
      stale: false,
      age: 0,
      changed: true,
      revision: { number: 1 },
      request: { method: 'GET', url: 'https://page.example/photo' },
    });
    expect(await stage.entries).toBe(1);
  });

  test('of the same bytes has not changed, of others it has', async () => {
    const stage = new EngineStage(({ at }) => json([at]));
    const first = await stage.invoke();
    expect(await stage.invoke()).toEqual({ ...first, changed: false });
    await stage.system.clock.advance(1);
    expect(await stage.invoke()).toMatchObject({ changed: true, revision: { number: 2 } });
  });

  test.each([
    ['a call waits a moment', false, 100],
    ['a tick waits', true, 1_000],
  ])('is asked for once it is known what is stored: %s', async (_, revalidate, wait) => {
    const stage = new EngineStage(() => json([1]));
    const { clock } = stage.system;
    vi.spyOn(stage.cache, 'peek').mockImplementation(() => clock.sleep(1_000).then(() => null));
    const told = revalidate ? stage.invoke() : stage.call({ policy: { revalidate } });
    await clock.advance(wait - 1);
    expect(stage.system.requests).toHaveLength(0);
    await clock.advance(1);
    expect(stage.system.requests).toHaveLength(1);
    await clock.advance(1_000);
    expect(await told).toMatchObject({ kind: 'answered', revision: { number: 1 } });
  });

  test('asks with the stored validators where it is to revalidate, and not for a short answer otherwise', async () => {
    const stage = new EngineStage(() =>
      json([1], { ...ETAG, 'Last-Modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }),
    );
    await stage.invoke();
    await stage.invoke();
    await stage.call({ policy: { revalidate: false, cache: 'network-first' } });
    expect([0, 1, 2].map((nth) => stage.sent(nth, 'if-none-match'))).toEqual([null, '"1"', null]);
    expect(stage.sent(1, 'if-modified-since')).toBe('Thu, 01 Jan 2026 00:00:00 GMT');
  });
});

describe('a 304', () => {
  test('is answered with the stored body, as fresh as from the network', async () => {
    const stage = new EngineStage(confirming);
    const first = await stage.invoke();
    await stage.system.clock.advance(60_000);
    expect(await stage.invoke()).toMatchObject({
      kind: 'answered',
      answer: { status: 200, body: { kind: 'value', value: [1] } },
      servedFrom: 'network',
      stale: false,
      age: 0,
      changed: false,
      revision: first.kind === 'answered' && first.revision,
    });
  });

  test('makes what is stored as young as itself', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    await stage.system.clock.advance(60_000);
    await stage.invoke();
    stage.system.online = false;
    stage.system.serve = unreachable;
    await stage.system.clock.advance(5_000);
    expect(await stage.invoke()).toMatchObject({ stale: true, age: 5 });
  });

  test('that nobody asked for confirms nothing', async () => {
    const stage = new EngineStage(() => json([1]));
    await stage.invoke();
    stage.system.serve = () => new Response(null, { status: 304 });
    expect(await stage.invoke()).toMatchObject({ answer: { status: 304 }, confirmed: false });
  });

  test('whose stored body is gone asks again for the whole, and remembers that', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    stage.system.serve = async (seen) => {
      if (seen.headers.has('if-none-match')) await stage.responses.clear();
      return confirming(seen);
    };
    expect(await stage.invoke()).toMatchObject({
      servedFrom: 'network',
      changed: true,
      revision: { number: 1 },
    });
    expect([0, 1, 2].map((nth) => stage.sent(nth, 'if-none-match'))).toEqual([null, '"1"', null]);
    expect(await stage.entries).toBe(1);
  });

  test('that is about another representation confirms nothing: the whole is asked for, once', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    stage.system.serve = ({ headers }) =>
      headers.has('if-none-match')
        ? new Response(null, { status: 304, headers: { ETag: '"2"' } })
        : json([2], { ETag: '"2"' });
    expect(await stage.invoke()).toMatchObject({ answer: { body: { value: [2] } }, changed: true });
    expect([1, 2].map((nth) => stage.sent(nth, 'if-none-match'))).toEqual(['"1"', null]);
    expect(stage.system.requests).toHaveLength(3);
  });

  test('whose body alone is lost is asked for again without validators, once', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    vi.spyOn(stage.responses, 'body').mockResolvedValue({ kind: 'absent' });
    expect(await stage.invoke()).toMatchObject({ kind: 'answered', answer: { body: { value: [1] } } });
    expect(stage.system.requests.map((_seen, nth) => stage.sent(nth, 'if-none-match'))).toEqual([
      null,
      '"1"',
      null,
    ]);
  });
});

async function stored(): Promise<EngineStage> {
  const stage = new EngineStage(() => json([1]));
  await stage.invoke();
  await stage.system.clock.advance(90_000);
  stage.system.serve = unreachable;
  return stage;
}

describe('without a network', () => {
  test.each([
    ['offline', false],
    ['a network that does not answer', true],
  ])('what is stored is served, stale and with its age: %s', async (_name, online) => {
    const stage = await stored();
    stage.system.online = online;
    expect(await stage.invoke()).toMatchObject({
      kind: 'answered',
      answer: { status: 200, body: { kind: 'value', value: [1] } },
      servedFrom: 'cache',
      stale: true,
      age: 90,
      changed: false,
      revision: { number: 1 },
      request: { url: 'https://page.example/photo' },
    });
  });

  test.each([
    ['offline', false],
    ['network', true],
  ])('there is a failure where nothing is stored: %s', async (code, online) => {
    const stage = await stored();
    stage.system.online = online;
    expect(gist(await stage.invoke({ template: '/other' }))).toBe(code);
  });

  test('or where its body is gone', async () => {
    const stage = await stored();
    stage.system.serve = async () => {
      await stage.responses.clear();
      return unreachable();
    };
    expect(gist(await stage.invoke())).toBe('network');
  });

  test('a network-only call is not served from what is stored', async () => {
    const stage = await stored();
    expect(gist(await stage.invoke({ policy: { cache: 'network-only' } }))).toBe('network');
  });

  test('nor is a write', async () => {
    const stage = await stored();
    expect(gist(await stage.invoke({ method: 'PUT' }))).toBe('network');
  });
});

describe('what is stored does not stand in', () => {
  test.each([
    [404, 0],
    [500, 1],
    [503, 1],
  ])('for a status of %i', async (status, entries) => {
    const stage = new EngineStage(() => json([1]));
    await stage.invoke();
    stage.system.serve = () => json({ why: 'no' }, {}, status);
    expect(await stage.invoke()).toMatchObject({
      failure: { code: 'http', status, body: { why: 'no' } },
      answer: { status },
    });
    expect(await stage.entries).toBe(entries);
  });

  test('for an answer that does not come in time', async () => {
    const stage = new EngineStage(() => json([1]));
    await stage.invoke();
    stage.system.serve = () => new Promise(() => {});
    const late = stage.invoke({ policy: { timeout: 1_000 } });
    await stage.system.clock.advance(1_000);
    expect(gist(await late)).toBe('timeout');
  });

  test('for a call that is aborted, before it is sent or after', async () => {
    const stage = new EngineStage(() => json([1]));
    await stage.invoke();
    expect(gist(await stage.invoke({}, AbortSignal.abort()))).toBe('aborted');
    expect(stage.system.requests).toHaveLength(1);
    const end = new AbortController();
    stage.system.serve = () => {
      end.abort();
      return new Promise(() => {});
    };
    expect(gist(await stage.invoke({}, end.signal))).toBe('aborted');
  });
});

function html(): Response {
  return new Response('<p>Log in', { headers: { 'Content-Type': 'text/html' } });
}

describe('a captive portal', () => {
  test('that answers HTML where JSON came before is not believed, and what is stored stays', async () => {
    const stage = new EngineStage(() => json([1]));
    await stage.invoke();
    stage.system.serve = () => new Response('<p>Log in', { headers: { 'Content-Type': 'text/html' } });
    expect(await stage.invoke()).toMatchObject({
      kind: 'failed',
      failure: { code: 'parse', status: 200, contentType: 'text/html' },
      request: { url: 'https://page.example/photo' },
    });
    stage.system.serve = unreachable;
    expect(gist(await stage.invoke())).toEqual([1]);
  });

  test.each(['GET', 'POST', 'DELETE'])('is not believed at first contact: %s', async (method) => {
    const stage = new EngineStage(html);
    expect(await stage.invoke({ method })).toMatchObject({
      kind: 'failed',
      failure: { code: 'parse', status: 200, contentType: 'text/html' },
    });
    expect(await stage.entries).toBe(0);
  });

  test('is not suspected by who asks for HTML, nor where the body is empty', async () => {
    const stage = new EngineStage(html);
    expect(gist(await stage.invoke({ headers: [['Accept', 'text/html']] }))).toBe('<p>Log in');
    stage.system.serve = () => new Response('', { status: 201, headers: { 'Content-Type': 'text/html' } });
    expect(gist(await stage.invoke({ method: 'POST' }))).toBe(null);
  });

  test('is judged by what the worker hook asks for', async () => {
    const stage = new EngineStage(html);
    stage.hook = (request) => request.setRequestHeader('Accept', 'text/html');
    expect(gist(await stage.invoke())).toBe('<p>Log in');
  });
});

describe('nothing is stored', () => {
  test.each([
    ['of a network-only call', { policy: { cache: 'network-only' } }],
    ['of a write', { method: 'POST' }],
  ] as const)('%s', async (_name, wish) => {
    const stage = new EngineStage(() => json([1], ETAG));
    expect(await stage.invoke(wish)).toMatchObject({ changed: true, revision: null });
    await stage.invoke(wish);
    expect(stage.sent(1, 'if-none-match')).toBeNull();
    expect(await stage.entries).toBe(0);
  });
});

test('a URL that leaves its base is refused and never sent (invariant 11)', async () => {
  const stage = new EngineStage();
  const outcome = await stage.invoke({ template: '{+url}', params: [['url', 'https://evil.example/']] });
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'blocked-url' }, request: null });
  expect(stage.system.requests).toEqual([]);
});

describe('the worker’s own hook', () => {
  test('has the last word on what is sent, but what is stored goes by what the page asked', async () => {
    const stage = new EngineStage(confirming);
    let token = 0;
    stage.hook = (request) => request.setRequestHeader('X-Token', `${(token += 1)}`);
    await stage.invoke();
    expect(await stage.invoke()).toMatchObject({ changed: false });
    expect([0, 1].map((nth) => stage.sent(nth, 'x-token'))).toEqual(['1', '2']);
    expect(stage.sent(1, 'if-none-match')).toBe('"1"');
  });

  test('that throws makes a failure, and nothing is sent', async () => {
    const stage = new EngineStage();
    stage.hook = () => {
      throw new Error('no token');
    };
    expect(await stage.invoke()).toMatchObject({ failure: { code: 'protocol' }, request: null });
    expect(stage.system.requests).toEqual([]);
  });

  test('that takes too long is waited for no longer than the call may take', async () => {
    const stage = new EngineStage();
    stage.hook = () => stage.system.clock.sleep(60_000);
    const held = stage.invoke({ policy: { timeout: 5_000 } });
    await stage.system.clock.advance(5_000);
    expect(await held).toEqual({
      kind: 'failed',
      failure: {
        code: 'timeout',
        timeout: 5_000,
        message:
          "The worker's configureRequest held up 'get': " +
          'GET https://page.example/photo was not answered to its last byte within 5000 ms',
      },
      answer: null,
      request: null,
    });
    await stage.system.clock.advance(60_000);
    expect(stage.system.requests).toEqual([]);
  });

  test('that takes too long is not waited for once the caller gives up', async () => {
    const stage = new EngineStage();
    stage.hook = () => stage.system.clock.sleep(60_000);
    const caller = new AbortController();
    const held = stage.invoke({}, caller.signal);
    await settle();
    caller.abort();
    expect(await held).toMatchObject({ failure: { code: 'aborted' }, request: null });
  });

  test('is not asked for a call that is given up while storage is', async () => {
    const stage = new EngineStage();
    stage.hook = vi.fn<ConfigureWorkerRequest>();
    vi.spyOn(stage.responses, 'find').mockReturnValue(new Promise(() => {}));
    const caller = new AbortController();
    const given = stage.invoke({}, caller.signal);
    await settle();
    caller.abort();
    expect(gist(await given)).toBe('aborted');
    expect(stage.hook).not.toHaveBeenCalled();
  });
});

test('a call that was given up before touches neither storage nor hook nor network', async () => {
  const stage = new EngineStage();
  stage.hook = vi.fn<ConfigureWorkerRequest>();
  expect(await stage.invoke({}, AbortSignal.abort())).toMatchObject({
    failure: { code: 'aborted' },
    request: null,
  });
  await settle();
  expect(await stage.responses.inspect()).toMatchObject({ mode: 'closed' });
  expect(stage.hook).not.toHaveBeenCalled();
  expect(stage.system.requests).toEqual([]);
});

const FIVE_SECONDS = { policy: { timeout: 5_000 } };

const never: Serve = () => new Promise(() => {});

/** What has become of a call that has 5 s, 1 ms before they are over and then. */
async function around(stage: EngineStage): Promise<unknown[]> {
  let gone: unknown = 'nothing yet';
  void stage.invoke(FIVE_SECONDS).then((outcome) => (gone = gist(outcome)));
  await stage.system.clock.advance(4_999);
  const before = gone;
  await stage.system.clock.advance(1);
  return [before, gone];
}

describe('one deadline counts until the last byte', () => {
  test('with the time that the hook took', async () => {
    const stage = new EngineStage(never);
    stage.hook = () => stage.system.clock.sleep(3_000);
    expect(await around(stage)).toEqual(['nothing yet', 'timeout']);
    expect(stage.system.requests).toHaveLength(1);
  });

  test('with the time that a 304 took whose body is gone', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    vi.spyOn(stage.responses, 'body').mockResolvedValue({ kind: 'absent' });
    stage.system.serve = async (seen) => {
      await stage.system.clock.sleep(3_000);
      return confirming(seen);
    };
    expect(await around(stage)).toEqual(['nothing yet', 'timeout']);
    expect(stage.system.requests).toHaveLength(3);
  });

  test('with the time that storage takes to find an answer', async () => {
    const stage = new EngineStage();
    vi.spyOn(stage.responses, 'find').mockReturnValue(new Promise(() => {}));
    expect(await around(stage)).toEqual(['nothing yet', 'timeout']);
    expect(stage.system.requests).toEqual([]);
  });

  test('with the time that storage takes to read its body', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    vi.spyOn(stage.responses, 'body').mockReturnValue(new Promise(() => {}));
    expect(await around(stage)).toEqual(['nothing yet', 'timeout']);
    stage.system.serve = unreachable;
    expect(await around(stage)).toEqual(['nothing yet', 'network']);
  });

  test('and no longer: what takes its time afterwards does not fail the call', async () => {
    const stage = new EngineStage(() => json([1]));
    const { digest } = stage.system;
    Object.assign(stage.system, {
      digest: async (bytes: Uint8Array) => {
        await stage.system.clock.sleep(9_000);
        return digest(bytes);
      },
    });
    const kept = stage.invoke(FIVE_SECONDS);
    await stage.system.clock.advance(9_000);
    expect(gist(await kept)).toEqual([1]);
  });
});

test('a call that has ended leaves nothing behind: its caller may abort as it likes', async () => {
  const stage = new EngineStage(() => json([1]));
  const caller = new AbortController();
  const removed = vi.spyOn(caller.signal, 'removeEventListener');
  await stage.invoke({}, caller.signal);
  expect(removed).toHaveBeenCalled();
  expect(stage.system.requests[0]?.init.signal?.aborted).toBe(true);
});

const SINCE = { query: [['since', '7']] } as const;
const SAME = { headers: [['If-None-Match', '"1"']] } as const;

describe('what is added to a request', () => {
  test('is sent and shown, and all else of the URL stays byte for byte', async () => {
    const stage = new EngineStage();
    const headers = [['X-Since', '7']] as const;
    const outcome = await stage.invokeWith(
      { ...SINCE, headers },
      { template: '/photo?a=%20+&since=1&b={b}' },
    );
    const url = 'https://page.example/photo?a=%20+&since=7&b=';
    expect([stage.asked(0), stage.sent(0, 'x-since')]).toEqual([url, '7']);
    expect(outcome).toMatchObject({ request: { url, headers: expect.arrayContaining([['X-Since', '7']]) } });
  });

  test('takes the place of what the page set itself', async () => {
    const stage = new EngineStage();
    const own = [['x-since', '1']] as const;
    await stage.invokeWith({ headers: [['X-Since', '7']] }, { headers: own });
    expect(stage.sent(0, 'x-since')).toBe('7');
  });

  test('is shown to the worker’s own hook, which has the last word', async () => {
    const stage = new EngineStage();
    const seen: unknown[] = [];
    stage.hook = (request) => {
      seen.push(request.url, request.getRequestHeader('x-since'));
      request.setRequestHeader('X-Since', '8');
    };
    await stage.invokeWith({ ...SINCE, headers: [['X-Since', '7']] });
    expect(seen).toEqual(['https://page.example/photo?since=7', '7']);
    expect(stage.sent(0, 'x-since')).toBe('8');
  });

  test('is no part of what is stored: the next place finds the answer to the last', async () => {
    const stage = new EngineStage(() => json([1], ETAG));
    await stage.invokeWith({ query: [['since', '6']], headers: [['X-Since', '6']] });
    expect(await stage.invokeWith(SINCE)).toMatchObject({ changed: false, revision: { number: 1 } });
    expect(stage.sent(1, 'if-none-match')).toBe('"1"');
    expect(await stage.entries).toBe(1);
    stage.system.serve = unreachable;
    expect(await stage.invoke()).toMatchObject({ servedFrom: 'cache', stale: true });
    expect(gist(await stage.invokeWith({ query: [['since', '8']] }))).toEqual([1]);
  });

  test('stands in the messages of what goes wrong', async () => {
    const stage = new EngineStage(unreachable);
    expect(await stage.invokeWith(SINCE)).toMatchObject({
      failure: { message: expect.stringContaining('/photo?since=7 got no answer') },
    });
    stage.system.serve = never;
    const late = stage.invokeWith(SINCE, FIVE_SECONDS);
    await stage.system.clock.advance(5_000);
    expect(await late).toMatchObject({ failure: { message: expect.stringContaining('/photo?since=7 was') } });
  });

  test('counts towards the length of a URL', async () => {
    const stage = new EngineStage();
    const room = LIMITS.urlLength - 'https://page.example/photo?since='.length;
    const outcome = await stage.invokeWith({ query: [['since', 'x'.repeat(room + 1)]] });
    expect(outcome).toMatchObject({ failure: { code: 'url-too-long' }, request: null });
    expect(stage.system.requests).toEqual([]);
    expect(await stage.invokeWith({ query: [['since', 'x'.repeat(room)]] })).toMatchObject({
      kind: 'answered',
    });
  });

  test('cannot make a call that goes wrong on the way', async () => {
    const stage = new EngineStage();
    expect(await stage.invokeWith({ query: [['since', '\ud800']] })).toMatchObject({
      failure: { code: 'blocked-url' },
    });
    expect(await stage.invokeWith({ headers: [['X-Since', 'a\nb']] })).toMatchObject({
      failure: { code: 'protocol' },
    });
    expect(stage.system.requests).toEqual([]);
  });
});

describe('an If-None-Match of the request’s own', () => {
  test('that is the stored ETag is confirmed by a 304, and what is stored is served as fresh', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    await stage.system.clock.advance(60_000);
    expect(await stage.invokeWith(SAME)).toMatchObject({
      answer: { status: 200, body: { kind: 'value', value: [1] } },
      servedFrom: 'network',
      confirmed: true,
      age: 0,
      changed: false,
      revision: { number: 1 },
    });
    expect(await stage.entries).toBe(1);
  });

  test.each(['"2"', 'W/"2"', '"1", "2"', '*'])('that is %s says nothing of what is stored', async (other) => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    expect(await stage.invokeWith({ headers: [['If-None-Match', other]] })).toMatchObject({
      answer: { status: 304 },
      confirmed: false,
    });
    expect(stage.sent(1, 'if-none-match')).toBe(other);
  });

  test('that was weakened on the way is confirmed again and again, though a 304 names it strong', async () => {
    const stage = new EngineStage(({ headers }) =>
      headers.has('if-none-match')
        ? new Response(null, { status: 304, headers: { ETag: '"1"' } })
        : json([1], { ETag: 'W/"1"' }),
    );
    await stage.invoke();
    for (let time = 0; time < 3; time += 1) {
      expect(await stage.invokeWith({ headers: [['If-None-Match', 'W/"1"']] })).toMatchObject({
        answer: { status: 200, body: { kind: 'value', value: [1] } },
        confirmed: true,
      });
      await stage.cache.settled();
    }
    expect(await stage.newest()).not.toBeNull();
  });

  test('of a write confirms nothing', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    expect(await stage.invokeWith(SAME, { method: 'PUT' })).toMatchObject({ confirmed: false });
  });

  test('is left out where the stored body is gone, and the whole is asked for, once', async () => {
    const stage = new EngineStage(confirming);
    await stage.invoke();
    vi.spyOn(stage.responses, 'body').mockResolvedValue({ kind: 'absent' });
    expect(await stage.invokeWith({ ...SINCE, ...SAME })).toMatchObject({ answer: { body: { value: [1] } } });
    expect(stage.system.requests.map((_seen, nth) => stage.sent(nth, 'if-none-match'))).toEqual([
      null,
      '"1"',
      null,
    ]);
    expect(stage.asked(2)).toBe('https://page.example/photo?since=7');
  });
});

test('an answer that comes after all was cleared, and was asked for before, is told and not stored', async () => {
  const answering: ((response: Response) => void)[] = [];
  const stage = new EngineStage(() => new Promise((resolve) => answering.push(resolve)));
  const outcome = stage.invoke();
  await until(() => stage.system.requests.length === 1);
  await stage.cache.clear();
  answering[0]?.(json([1], { ETag: '"1"' }));
  expect(await outcome).toMatchObject({ kind: 'answered', revision: null });
  await stage.cache.settled();
  expect(await stage.newest()).toBeNull();
});

test('what is asked for once more, after all was cleared, is stored', async () => {
  const answering: ((response: Response) => void)[] = [];
  const stage = new EngineStage(() => new Promise((resolve) => answering.push(resolve)));
  const outcome = stage.invoke();
  await until(() => stage.system.requests.length === 1);
  const write = stage.call({ method: 'PUT' });
  await until(() => stage.system.requests.length === 2);
  answering[1]?.(json(null));
  await write;
  await stage.cache.clear();
  answering[0]?.(json(['before']));
  await until(() => stage.system.requests.length === 3);
  answering[2]?.(json(['after']));
  expect(gist(await outcome)).toEqual(['after']);
  await stage.cache.settled();
  expect(await stage.newest()).not.toBeNull();
});
