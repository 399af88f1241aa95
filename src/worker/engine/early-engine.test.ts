import { describe, expect, test } from 'vitest';
import type { EarlyAnswer } from '../../shared/early.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { parsed } from '../contracts/read-body.ts';
import { earlyEngine } from '../early.ts';
import { FakeSystem, json, unreachable } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';
import { EngineStage } from './engine.fixture.ts';

/** How a request went: what was sent, and what a page was told. */
interface Went {
  readonly outcome: unknown;
  readonly sent: unknown;
  readonly steps: readonly unknown[];
}

async function throughEngine(serve: Serve, wish: Wish): Promise<Went> {
  const stage = new EngineStage(serve);
  const steps: unknown[] = [];
  const { engine } = stage;
  const answering = engine.call({
    invocation: invocation(wish),
    page: 'one',
    interest: { started: false, sent: true, progress: false },
    say: (step) => steps.push(step({ id: 1 })),
    tellFirst: () => {},
    takeEarly: null,
    signal: new AbortController().signal,
  });
  await waitOut(stage.system, wish);
  return { outcome: told(parsed(await answering)), sent: sentBy(stage.system), steps };
}

async function throughEarlyEngine(serve: Serve, wish: Wish): Promise<Went> {
  const system = new FakeSystem();
  system.serve = serve;
  const steps: unknown[] = [];
  const watch = {
    sent: (status: number, headers: unknown) => steps.push({ kind: 'sent', to: { id: 1 }, status, headers }),
  };
  const answering = earlyEngine(system).send(invocation(wish), watch).result;
  await waitOut(system, wish);
  const result = await answering;
  if (result.kind === 'left') throw new Error('It was left to the next engine');
  return { outcome: told(result.outcome), sent: sentBy(system), steps };
}

async function waitOut({ clock }: FakeSystem, { policy }: Wish): Promise<void> {
  if (policy?.timeout !== undefined) await clock.advance(policy.timeout);
}

/** The revision, under which the answer is stored, is no page's. */
function told(outcome: Outcome): unknown {
  return outcome.kind === 'answered' ? { ...outcome, revision: null } : outcome;
}

function sentBy({ requests }: FakeSystem): unknown[] {
  return requests.map(({ url, init, headers }) => {
    const { method, body, mode, redirect, credentials, cache } = init;
    return { url, method, body, mode, redirect, credentials, cache, headers: [...headers] };
  });
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** An answer that a redirect led to. */
function from(url: string, value: unknown): Response {
  return Object.defineProperty(json(value), 'url', { value: url });
}

function html(text: string, status = 200): Response {
  return new Response(text, { status, headers: { 'Content-Type': 'text/html' } });
}

const POST: Wish = { method: 'POST', body: { kind: 'text', text: 'a=1' } };
const AUTHORIZED: Wish = { headers: [['Authorization', 'secret']] };

const CASES: readonly (readonly [what: string, serve: Serve, wish: Wish])[] = [
  ['JSON', () => json({ a: 1 }, { ETag: '"1"' }), {}],
  ['nothing', () => new Response(null, { status: 204 }), {}],
  ['bytes', () => new Response(new Uint8Array([1, 2]), { headers: { 'Content-Type': 'image/png' } }), {}],
  ['a refusal', () => json({ why: 'not found' }, {}, 404), {}],
  [
    'JSON that is broken',
    () => new Response('{"a":', { headers: { 'Content-Type': 'application/json' } }),
    {},
  ],
  ['a portal', () => new Response('<p>Sign in', { headers: { 'Content-Type': 'text/html' } }), {}],
  ['no network', unreachable, {}],
  ['a write', () => json({ id: 7 }, { Location: '/photo/7' }, 201), POST],
  [
    'a write that a portal answers',
    () => new Response('<p>', { headers: { 'Content-Type': 'text/html' } }),
    POST,
  ],
  ['a secret header', () => json({}), AUTHORIZED],
  ['another origin', () => json({}), { baseUrl: 'https://api.example' }],
  ['a secret for another origin', () => json({}), { ...AUTHORIZED, baseUrl: 'https://api.example' }],
  ['a value that leaves the base', () => json({}), { template: '/photo/{+id}', params: [['id', '../../x']] }],
  ['an answer that is too long', () => json('x'.repeat(99)), { policy: { answerSize: 20 } }],
  [
    'a HEAD',
    () => new Response(null, { headers: { 'Content-Length': '9', ETag: '"1"' } }),
    { method: 'HEAD' },
  ],
  [
    'a part',
    () => new Response('ab', { status: 206, headers: { 'Content-Range': 'bytes 0-1/9' } }),
    { headers: [['Range', 'bytes=0-1']] },
  ],
  [
    'a condition of the page',
    () => new Response(null, { status: 304, headers: { ETag: '"1"' } }),
    { headers: [['If-None-Match', '"1"']] },
  ],
  ['a 304 that nobody asked for', () => new Response(null, { status: 304 }), {}],
  ['a redirect within the origin', () => from('https://page.example/photo/1', { a: 1 }), {}],
  ['a redirect to a foreign origin', () => from('https://other.example/photo', { a: 1 }), {}],
  [
    'a redirect to an origin that is allowed',
    () => from('https://other.example/photo', { a: 1 }),
    { policy: { origins: ['https://other.example'] } },
  ],
  ['a write that is redirected', () => json({}, { Location: '/photo/8' }, 303), POST],
  ['a write that fails', () => json({ why: 'late' }, { 'Retry-After': '9' }, 503), POST],
  ['a write whose answer is lost', unreachable, POST],
  ['a write that may be repeated and fails for good', () => json({}, {}, 500), { ...POST, method: 'PUT' }],
  ['a deletion of what is gone', () => json({}, {}, 404), { method: 'DELETE' }],
  ['credentials for nobody', () => json({}), { policy: { credentials: 'omit' } }],
  [
    'credentials for all',
    () => json({}),
    { policy: { credentials: 'include' }, baseUrl: 'https://api.example' },
  ],
  [
    'the own origin alone',
    () => json({}),
    { policy: { mode: 'same-origin' }, baseUrl: 'https://api.example' },
  ],
  ['no Accept header, and HTML', () => html('<p>Hello'), { headers: [] }],
  ['HTML where it is wanted', () => html('<p>Hello'), { headers: [['Accept', 'text/html']] }],
  ['bytes in the body', () => json({}), { ...POST, body: { kind: 'bytes', bytes: new ArrayBuffer(9) } }],
  [
    'a refusal with a long body',
    () => json({ why: 'x'.repeat(99) }, {}, 400),
    { policy: { answerSize: 20 } },
  ],
  ['a refusal with broken JSON', () => new Response('{', { status: 400, headers: JSON_TYPE }), {}],
  ['a refusal in HTML', () => html('<p>No', 500), {}],
  ['a header that cannot be sent', () => json({}), { headers: [['X-A', 'a\nb']] }],
  ['nothing to store', () => json({}, { 'Cache-Control': 'no-store', Vary: '*', 'Set-Cookie': 'a=1' }), {}],
  ['network alone', () => json({}, { 'Cache-Control': 'max-age=9' }), { policy: { cache: 'network-only' } }],
  ['cache first', () => json({}), { policy: { cache: 'cache-first' } }],
  ['strict', () => json({}, { Age: '7' }), { policy: { cache: 'strict', storedFirst: true } }],
  ['a method of its own', () => json({}), { method: 'PURGE' }],
  ['a TRACE', () => json({}), { method: 'TRACE' }],
  ['an OPTIONS', () => json({}), { method: 'OPTIONS' }],
  ['a secret query', () => json({}), { params: [['id', 'a/b']], template: '/photo/{id}{?x}' }],
  ['a base URL that is none', () => json({}), { baseUrl: 'ftp://x' }],
  ['no time', () => new Promise<Response>(() => {}), { policy: { timeout: 5 } }],
];

describe('a page is told the same by both engines, and its server asked the same', () => {
  test.each(CASES)('%s', async (_what, serve, wish) => {
    const [late, sooner] = await Promise.all([throughEngine(serve, wish), throughEarlyEngine(serve, wish)]);
    expect(sooner).toEqual(late);
  });
});

test('what failed and may be repeated is left to the next engine, with its wait', async () => {
  const system = new FakeSystem();
  system.serve = () => json({}, { 'Retry-After': '2' }, 503);
  const result = await earlyEngine(system).send(invocation({ policy: { retry: 2 } }), {}).result;
  expect(result).toMatchObject({ kind: 'left' });
  expect(result.kind === 'left' && result.wait).toBeGreaterThanOrEqual(2_000);
  expect(system.requests).toHaveLength(1);
});

test.each([
  [500, { kind: 'write', isDone: false }],
  [429, null],
])('a write that is left after a %i says if it may be done', async (status, write) => {
  const system = new FakeSystem();
  system.serve = () => json({}, {}, status);
  const result = await earlyEngine(system).send(invocation({ method: 'PUT', policy: { retry: 1 } }), {})
    .result;
  expect(result).toMatchObject({ kind: 'left', early: write });
});

test('a request that is aborted ends at once', async () => {
  const system = new FakeSystem();
  system.serve = () => new Promise(() => {});
  const { result, abort } = earlyEngine(system).send(invocation(), {});
  abort();
  expect(await result).toMatchObject({
    kind: 'ended',
    outcome: { failure: { code: 'aborted' } },
    early: null,
  });
});

test.each([
  ['a short write outlives its page', 'POST', 10, true],
  ['a long one would be refused by the browser', 'POST', 100_000, undefined],
  ['a read does not', 'GET', 0, undefined],
])('%s', async (_what, method, length, keepalive) => {
  const system = new FakeSystem();
  const body = { kind: 'text', text: 'x'.repeat(length) } as const;
  await earlyEngine(system).send(invocation({ method, body: method === 'GET' ? { kind: 'none' } : body }), {})
    .result;
  expect(system.requests[0]?.init.keepalive).toBe(keepalive);
});

test('no more bytes are sent at a time as what outlives its page than browsers take', async () => {
  const system = new FakeSystem();
  const answers: ((answer: Response) => void)[] = [];
  system.serve = () => new Promise((resolve) => answers.push(resolve));
  const engine = earlyEngine(system);
  const body = { kind: 'bytes', bytes: new ArrayBuffer(20_000) } as const;
  const send = (): Promise<unknown> => engine.send(invocation({ method: 'POST', body }), {}).result;
  const sent = [send(), send()];
  for (const answer of answers) answer(json({}));
  await Promise.all(sent);
  void send();
  expect(system.requests.map(({ init }) => init.keepalive)).toEqual([true, undefined, true]);
});

/** What the early engine keeps of a request for the next engine. */
async function early(serve: Serve, wish: Wish = {}): Promise<EarlyAnswer | null> {
  const system = new FakeSystem();
  system.serve = serve;
  const result = await earlyEngine(system).send(invocation(wish), {}).result;
  return result.kind === 'ended' ? result.early : null;
}

test('a write is kept without its body, which may be large', async () => {
  const body = { kind: 'text', text: 'x'.repeat(100_000) } as const;
  expect(await early(() => json({}), { method: 'PUT', body })).toMatchObject({
    invocation: { body: { kind: 'none' } },
  });
});

describe('the next engine', () => {
  test('serves an early answer that is fresh, and asks nobody', async () => {
    const answer = await early(() => json({ a: 1 }, { 'Cache-Control': 'max-age=600' }));
    const stage = new EngineStage(() => json({ a: 2 }));
    if (answer) await stage.engine.adopt([answer]);
    const outcome = parsed(await stage.call({ policy: { revalidate: false } }));
    expect(outcome).toMatchObject({ servedFrom: 'cache', answer: { body: { value: { a: 1 } } } });
    expect(stage.system.requests).toEqual([]);
  });

  test('has an early answer confirmed by its validators', async () => {
    const answer = await early(() => json({ a: 1 }, { ETag: '"1"' }));
    const stage = new EngineStage(() => new Response(null, { status: 304 }));
    if (answer) await stage.engine.adopt([answer]);
    const outcome = parsed(await stage.call());
    expect(outcome).toMatchObject({ confirmed: true, answer: { body: { value: { a: 1 } } } });
    expect(stage.system.requests[0]?.headers.get('If-None-Match')).toBe('"1"');
  });

  test('keeps what it has stored already', async () => {
    const answer = await early(() => json({ a: 1 }, { 'Cache-Control': 'max-age=600' }));
    const stage = new EngineStage(() => json({ a: 2 }, { 'Cache-Control': 'max-age=600' }));
    await stage.call();
    if (answer) await stage.engine.adopt([answer]);
    const outcome = parsed(await stage.call({ policy: { revalidate: false } }));
    expect(outcome).toMatchObject({ answer: { body: { value: { a: 2 } } } });
  });

  test('takes what an early write has changed for outdated', async () => {
    const written = await early(() => json({}), { ...POST, method: 'PUT' });
    const stage = new EngineStage(() => json({ a: 1 }, { 'Cache-Control': 'max-age=600' }));
    await stage.call();
    if (written) await stage.engine.adopt([written]);
    await stage.call({ policy: { revalidate: false } });
    expect(stage.system.requests).toHaveLength(2);
  });

  test.each([
    ['a portal answered', () => html('<p>Sign in')],
    ['got no answer', unreachable],
  ])('serves, stale, what an early DELETE was for that %s', async (_what, serve) => {
    const deleted = await early(serve, { method: 'DELETE', policy: { invalidates: ['/album'] } });
    const stage = new EngineStage(() => json({ a: 1 }, { 'Cache-Control': 'max-age=600' }));
    await stage.call();
    if (deleted) await stage.engine.adopt([deleted]);
    stage.system.serve = unreachable;
    expect(parsed(await stage.call({ policy: { revalidate: false } }))).toMatchObject({ stale: true });
    expect(stage.invalidated).toEqual([]);
  });

  test.each([
    ['a refusal', () => json({}, {}, 404), {}],
    ['a portal', () => new Response('<p>', { headers: { 'Content-Type': 'text/html' } }), {}],
    ['a write that was refused', () => json({}, {}, 422), POST],
  ])('is not handed %s', async (_what, serve, wish) => {
    expect(await early(serve, wish)).toBeNull();
  });

  test('stores no early answer that must not be stored', async () => {
    const answer = await early(() => json({ a: 1 }, { 'Cache-Control': 'no-store' }));
    const stage = new EngineStage(() => json({ a: 2 }));
    if (answer) await stage.engine.adopt([answer]);
    await stage.call({ policy: { revalidate: false } });
    expect(stage.system.requests).toHaveLength(1);
  });
});
