import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { refusalIn } from '../shared/guard.ts';
import { install } from './index.ts';
import type { AllowClient, InstallOptions, WorkerMessage, WorkerWake } from './index.ts';
import { IDBFactory } from './storage/indexeddb.fixture.ts';
import { until } from './platform/system.fixture.ts';
import { Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

const indexedDB = new IDBFactory();
const open = vi.spyOn(indexedDB, 'open');
const request = vi.fn<(name: string, held: (lock: null) => Promise<unknown>) => Promise<unknown>>();
const timer = vi.fn<typeof setTimeout>();
const fetched = vi.fn<typeof fetch>();

const SKIP = { type: 'SKIP_WAITING' };

type Listener = (event: WorkerMessage & WorkerWake) => void;

/** The global scope of a service worker. */
class Scope {
  readonly location: { readonly origin: string; readonly search: string };
  readonly registration = { scope: 'https://page.example/' };
  readonly clients = { get: async (id: string): Promise<object> => ({ id }) };
  readonly serviceWorker: EventTarget & { state: string };
  readonly skipWaiting = vi.fn<() => Promise<void>>(() => Promise.resolve());
  readonly #listeners: Listener[] = [];

  /** A worker that waits is evaluated like one that the browser starts again. */
  constructor(
    options?: InstallOptions,
    { state = 'installed', search = '' }: { state?: 'installed' | 'activated'; search?: string } = {},
  ) {
    this.location = { origin: 'https://page.example', search };
    this.serviceWorker = Object.assign(new EventTarget(), { state });
    install(this, options);
  }

  addEventListener(type: string, listener: Listener): void {
    if (type === 'message') this.#listeners.push(listener);
  }

  /** Dispatches a message; resolves when its event is no longer held, to how often it was. */
  async post(data: unknown, source: unknown, origin: string = this.location.origin): Promise<number> {
    const held: Promise<unknown>[] = [];
    for (const listener of this.#listeners) {
      listener({ data, origin, source, tag: '', waitUntil: (work) => held.push(work) });
    }
    await Promise.all(held);
    return held.length;
  }

  tab(): Tab {
    return new Tab(async (source, envelope) => void (await this.post(envelope, source)));
  }
}

const WINDOW = {
  id: 'client 1',
  type: 'window',
  url: 'https://page.example/album',
  frameType: 'top-level',
  postMessage: (): void => {},
};
const ENVELOPE = { offstage: 'session 1', message: { type: 'nothing of ours' } };

function unreachable(): never {
  throw new Error('nobody knows this page');
}

beforeEach(() => {
  vi.clearAllMocks();
  request.mockImplementation((_name, held) => held(null));
  fetched.mockImplementation(async () => Response.json([1]));
  vi.stubGlobal('indexedDB', indexedDB);
  vi.stubGlobal('navigator', { onLine: true, locks: { request } });
  vi.stubGlobal('setTimeout', timer);
  vi.stubGlobal('fetch', fetched);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('nothing runs, no database, lock or timer,', () => {
  test('before the first message', async () => {
    expect(new Scope()).toBeDefined();
    await settle();
    expect([open, request, timer].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  });

  test.each<[string, unknown, unknown]>([
    ['a message of somebody else’s', { type: 'CACHE_URLS' }, WINDOW],
    ['a wish that it replace the active worker', SKIP, WINDOW],
    ['a message without data', undefined, WINDOW],
    ['a message from nobody', ENVELOPE, null],
    ['a message from a port', ENVELOPE, { postMessage: (): void => {} }],
    ['a message from what cannot be posted to', ENVELOPE, { id: 'client 1', type: 'window' }],
    ['a message from another worker', ENVELOPE, { ...WINDOW, type: 'worker' }],
  ])('because of %s', async (_name, data, source) => {
    expect(await new Scope().post(data, source)).toBe(0);
    await settle();
    expect([open, request, timer].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  });
});

test('an active worker that the browser starts opens what is stored, and asks for nothing', async () => {
  expect(new Scope({}, { state: 'activated' })).toBeDefined();
  // The database that says whose answers are stored, and that of the answers.
  await until(() => open.mock.calls.length === 2);
  expect(fetched).not.toHaveBeenCalled();
});

test('the first message of a page starts it, once', async () => {
  const scope = new Scope();
  expect(await scope.post(ENVELOPE, WINDOW)).toBe(1);
  expect(await scope.post(ENVELOPE, WINDOW)).toBe(1);
  expect(request).toHaveBeenCalledTimes(1);
});

test('a greeting is answered', async () => {
  expect(await new Scope().tab().greet()).toMatchObject({ kind: 'welcome', taken: [] });
});

test('the event of a call is held until its answer is on its way', async () => {
  const release = new AbortController();
  fetched.mockImplementation(async () => {
    await once(release.signal, 'abort');
    return Response.json([1]);
  });
  const tab = new Scope().tab();
  await tab.submit(1);
  await until(() => fetched.mock.calls.length > 0);
  expect(tab.held).toBe(1);
  release.abort();
  await until(() => tab.held === 0);
  await settle();
  expect(tab.settled).toEqual([1]);
});

describe('a page that the app does not allow', () => {
  const allow = vi.fn<AllowClient>();

  test.each<[string, AllowClient]>([
    ['is told so instead of being left waiting', () => false],
    ['is also one at whose sight the predicate throws', () => unreachable()],
  ])('%s', async (_name, refuse) => {
    allow.mockImplementation(refuse);
    const scope = new Scope({ allow });
    const error: unknown = await scope
      .tab()
      .greet()
      .catch((reason: unknown) => reason);
    expect(refusalIn(error)).toEqual({
      code: 'not-connected',
      message: 'The worker does not serve https://page.example/',
    });
    expect(allow).toHaveBeenCalledWith({ url: 'https://page.example/', frameType: 'top-level' });
    expect([open, request, timer].map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0]);
  });

  test('gets no answer to what is no call', async () => {
    const answered = vi.fn<(message: unknown) => void>();
    const source = { ...WINDOW, postMessage: answered };
    expect(await new Scope({ allow: () => false }).post(ENVELOPE, source)).toBe(0);
    expect(answered).not.toHaveBeenCalled();
  });

  test('is not one that it allows', async () => {
    expect(await new Scope({ allow: ({ url }) => url.endsWith('/') }).tab().greet()).toMatchObject({
      kind: 'welcome',
    });
  });
});

test('a message of another origin is not heard', async () => {
  const scope = new Scope();
  expect(await scope.post(ENVELOPE, WINDOW, 'https://elsewhere.example')).toBe(0);
  expect(await scope.post(ENVELOPE, WINDOW, '')).toBe(0);
});

describe('a worker that waits', () => {
  test('replaces the active one when a page has it do so', async () => {
    const scope = new Scope();
    expect(await scope.post(SKIP, WINDOW)).toBe(0);
    expect(scope.skipWaiting).toHaveBeenCalledTimes(1);
  });

  test.each<[string, unknown, unknown, string?]>([
    ['another origin', SKIP, WINDOW, 'https://elsewhere.example'],
    ['nobody', SKIP, null],
    ['a port', SKIP, { postMessage: (): void => {} }],
    ['another worker', SKIP, { ...WINDOW, type: 'worker' }],
    ['a page that says something else', { type: 'SKIP' }, WINDOW],
    ['a page that says nothing', null, WINDOW],
    ['a page that says it in so many words', 'SKIP_WAITING', WINDOW],
    ['a session that says it inside', { offstage: 'session 1', message: SKIP }, WINDOW],
  ])('does not at the wish of %s', async (_who, data, source, origin) => {
    const scope = new Scope();
    await scope.post(data, source, origin);
    expect(scope.skipWaiting).not.toHaveBeenCalled();
  });

  test.each<[string, AllowClient]>([
    ['does not allow', ({ url }) => url.endsWith('/')],
    ['cannot judge', () => unreachable()],
  ])('does not at the wish of a page that the app %s', async (_what, allow) => {
    const scope = new Scope({ allow });
    await scope.post(SKIP, WINDOW);
    expect(scope.skipWaiting).not.toHaveBeenCalled();
  });
});

test('a house that has outlived itself is followed by a fresh one, at the next message', async () => {
  const scope = new Scope();
  const tab = scope.tab();
  const first = await tab.greet();
  await tab.remote.control({ kind: 'drain' });
  await settle();
  expect(request).toHaveBeenCalledTimes(1);
  for (const [wake, milliseconds] of timer.mock.calls) if (milliseconds === 10_000) wake();
  await settle();
  expect(request).toHaveBeenCalledTimes(1);
  const [second, third] = [await tab.greet(), await tab.greet()];
  expect(second).toMatchObject({ kind: 'welcome', taken: [] });
  expect(second).not.toEqual(first);
  expect(third).toEqual(second);
  expect(request).toHaveBeenCalledTimes(2);
});

describe('a worker that was unregistered, and runs on,', () => {
  const asked = vi.fn<(signal: AbortSignal) => void>();
  const aborted = (): boolean[] => asked.mock.calls.map(([signal]) => signal.aborted);

  beforeEach(() => {
    fetched.mockImplementation(async (_input, init) => {
      const { signal } = init ?? {};
      if (!signal) throw new Error('There is no way to abort this');
      asked(signal);
      await once(signal, 'abort');
      throw signal.reason;
    });
  });

  test('leaves its loops to the next one, and ends its calls', async () => {
    const scope = new Scope();
    const tab = scope.tab();
    await tab.submit(1);
    await until(() => asked.mock.calls.length === 1);
    await tab.declare();
    await until(() => asked.mock.calls.length === 2);
    expect(aborted()).toEqual([false, false]);
    scope.serviceWorker.state = 'redundant';
    scope.serviceWorker.dispatchEvent(new Event('statechange'));
    await until(() => aborted()[1] === true);
    expect(aborted()).toEqual([false, true]);
  });

  test('begins no loops', async () => {
    const scope = new Scope();
    scope.serviceWorker.state = 'redundant';
    const tab = scope.tab();
    await tab.declare();
    await tab.submit(1);
    await until(() => asked.mock.calls.length === 1);
    await settle();
    expect(asked).toHaveBeenCalledTimes(1);
  });
});

test('the app’s own hook sees every request', async () => {
  const tab = new Scope({
    configureRequest: (configured) => configured.setRequestHeader('X-Token', '1'),
  }).tab();
  await tab.submit(1);
  await until(() => tab.settled.length === 1);
  const init = fetched.mock.calls[0]?.[1];
  expect(new Headers(init?.headers).get('x-token')).toBe('1');
});

test('a client that is gone is noticed', async () => {
  const scope = new Scope();
  const looked = vi.spyOn(scope.clients, 'get');
  await scope.tab().greet();
  const rollCall = timer.mock.calls.find(([, milliseconds]) => milliseconds === 4_000)?.[0];
  rollCall?.();
  await settle();
  expect(looked).toHaveBeenCalledWith('client 1');
});

describe('what is stored is encrypted', () => {
  test.each<[InstallOptions, string, boolean]>([
    [{}, '', false],
    [{}, '?v=1&encrypt', true],
    [{ encrypt: true }, '', true],
    [{ encrypt: false }, '?encrypt', false],
  ])('as the app, or else the URL of the script, says: %j %s', async (options, search, isEncrypted) => {
    open.mockClear();
    const tab = new Scope(options, { search }).tab();
    void tab.submit(1);
    // The other one says who is signed in, and is never encrypted.
    const names = (): string[] => open.mock.calls.map(([name]) => name).filter((name) => name.includes('#'));
    await until(() => names().length > 0);
    expect(names()[0]?.startsWith('offstage:encrypted:')).toBe(isEncrypted);
  });
});
