import { describe, expect, test, vi } from 'vitest';
import type { EarlyRequest } from '../../shared/early.ts';
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
  expect(result).toMatchObject({ kind: 'left', lost: false });
  expect(result.kind === 'left' && result.wait).toBeGreaterThanOrEqual(2_000);
  expect(system.requests).toHaveLength(1);
});

test('a write whose answer is lost says so when it is left to the next engine', async () => {
  const system = new FakeSystem();
  system.serve = unreachable;
  const wish: Wish = { method: 'DELETE', policy: { retry: 2 } };
  const result = await earlyEngine(system).send(invocation(wish), {}).result;
  expect(result).toMatchObject({ kind: 'left', lost: true });
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

test('short writes outlive their page as long as browsers take their bytes', async () => {
  const system = new FakeSystem();
  const answers: ((response: Response) => void)[] = [];
  system.serve = () => new Promise<Response>((resolve) => answers.push(resolve));
  const engine = earlyEngine(system);
  const body = { kind: 'bytes', bytes: new ArrayBuffer(20_000) } as const;
  const send = (): EarlyRequest => engine.send(invocation({ method: 'POST', body }), {});
  const kept = (): unknown[] => system.requests.map(({ init }) => init.keepalive ?? false);
  const first = send();
  send();
  await vi.waitFor(() => expect(kept()).toEqual([true, false]));
  answers[0]?.(json({}));
  await first.result;
  send();
  await vi.waitFor(() => expect(kept()).toEqual([true, false, true]));
});

test('bytes that are told are not those that are kept: the page may transfer or change them', async () => {
  const system = new FakeSystem();
  system.serve = () => new Response(new Uint8Array([1, 2]), { headers: { 'Content-Type': 'image/png' } });
  const result = await earlyEngine(system).send(invocation(), {}).result;
  const ended = result.kind === 'ended' ? result : null;
  const body = ended?.outcome.answer?.body;
  if (body?.kind === 'bytes') structuredClone(body.bytes, { transfer: [body.bytes] });
  expect(ended?.early?.kind === 'read' && ended.early.bytes.byteLength).toBe(2);
});

/** What the early engine keeps of a request for the next engine. */
async function early(
  serve: Serve,
  wish: Wish = {},
): Promise<Parameters<EngineStage['engine']['adopt']>[0] | null> {
  const system = new FakeSystem();
  system.serve = serve;
  const result = await earlyEngine(system).send(invocation(wish), {}).result;
  return result.kind === 'ended' ? result.early : null;
}

describe('the next engine', () => {
  test('serves an early answer that is fresh, and asks nobody', async () => {
    const answer = await early(() => json({ a: 1 }, { 'Cache-Control': 'max-age=600' }));
    const stage = new EngineStage(() => json({ a: 2 }));
    if (answer) await stage.engine.adopt(answer);
    const outcome = parsed(await stage.call({ policy: { revalidate: false } }));
    expect(outcome).toMatchObject({ servedFrom: 'cache', answer: { body: { value: { a: 1 } } } });
    expect(stage.system.requests).toEqual([]);
  });

  test('has an early answer confirmed by its validators', async () => {
    const answer = await early(() => json({ a: 1 }, { ETag: '"1"' }));
    const stage = new EngineStage(() => new Response(null, { status: 304 }));
    if (answer) await stage.engine.adopt(answer);
    const outcome = parsed(await stage.call());
    expect(outcome).toMatchObject({ confirmed: true, answer: { body: { value: { a: 1 } } } });
    expect(stage.system.requests[0]?.headers.get('If-None-Match')).toBe('"1"');
  });

  test('keeps what it has stored already', async () => {
    const answer = await early(() => json({ a: 1 }, { 'Cache-Control': 'max-age=600' }));
    const stage = new EngineStage(() => json({ a: 2 }, { 'Cache-Control': 'max-age=600' }));
    await stage.call();
    if (answer) await stage.engine.adopt(answer);
    const outcome = parsed(await stage.call({ policy: { revalidate: false } }));
    expect(outcome).toMatchObject({ answer: { body: { value: { a: 2 } } } });
  });

  test('is handed one later that is newer than the first', async () => {
    const fresh = { 'Cache-Control': 'max-age=600' };
    const older = await early(() => json({ a: 1 }, fresh));
    const newer = await early(() => json({ a: 2 }, fresh));
    const stage = new EngineStage(() => json({ a: 3 }));
    if (older?.kind === 'read') await stage.engine.adopt({ ...older, receivedAt: older.receivedAt - 1_000 });
    if (newer) await stage.engine.adopt(newer);
    const outcome = parsed(await stage.call({ policy: { revalidate: false } }));
    expect(outcome).toMatchObject({ servedFrom: 'cache', answer: { body: { value: { a: 2 } } } });
  });

  test('takes what an early write has changed for outdated', async () => {
    const written = await early(() => json({}), { ...POST, method: 'PUT' });
    const stage = new EngineStage(() => json({ a: 1 }, { 'Cache-Control': 'max-age=600' }));
    await stage.call();
    if (written) await stage.engine.adopt(written);
    await stage.call({ policy: { revalidate: false } });
    expect(stage.system.requests).toHaveLength(2);
  });

  test('takes an early answer for outdated that an early write has changed', async () => {
    const read = await early(() => json({ a: 1 }, { 'Cache-Control': 'max-age=600' }));
    const written = await early(() => json({}), { ...POST, method: 'PUT' });
    const stage = new EngineStage(() => json({ a: 2 }));
    if (read && written) await Promise.all([stage.engine.adopt(read), stage.engine.adopt(written)]);
    await stage.call({ policy: { revalidate: false } });
    expect(stage.system.requests).toHaveLength(1);
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
    if (answer) await stage.engine.adopt(answer);
    await stage.call({ policy: { revalidate: false } });
    expect(stage.system.requests).toHaveLength(1);
  });
});
