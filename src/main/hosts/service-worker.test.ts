import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServiceWorkerHost } from './service-worker.ts';

const SCRIPT = 'https://page.example/service-worker.js';

/** What the browser makes of a script that is registered. */
let made: object;

vi.mock('workbox-window/build/workbox-window.prod.mjs', () => ({
  Workbox: class {
    register = async (): Promise<unknown> => made;
  },
}));

class PlayedWorker extends EventTarget {
  readonly posted: unknown[] = [];
  readonly scriptURL: string;
  readonly state: string;

  constructor(scriptURL: string = SCRIPT, state = 'activated') {
    super();
    this.scriptURL = scriptURL;
    this.state = state;
  }

  postMessage(message: unknown): void {
    this.posted.push(message);
  }
}

function registration(scope: string, active: PlayedWorker): EventTarget {
  return Object.assign(new EventTarget(), { scope, active, installing: null, waiting: null });
}

/** What the browser answers to a page that asks for the registration of a URL: the one of the longest scope. */
let known: object | undefined;

beforeEach(() => {
  known = undefined;
  vi.stubGlobal('document', { baseURI: 'https://page.example/app/index.html' });
  vi.stubGlobal('navigator', {
    serviceWorker: Object.assign(new EventTarget(), {
      getRegistration: async () => known,
      startMessages: () => {},
    }),
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

function host(scope: string | null): ServiceWorkerHost {
  return new ServiceWorkerHost({ script: '/service-worker.js', scope, type: 'classic' });
}

test.each([
  ['is taken where script and scope are those that are asked for', 'https://page.example/app/', SCRIPT, true],
  ['is not taken where its scope is wider', 'https://page.example/', SCRIPT, false],
  ['is not taken where its script is another', 'https://page.example/app/', `${SCRIPT}?v=1`, false],
])('a registration that is there %s', async (_what, scope, script, isTaken) => {
  const [there, ours] = [new PlayedWorker(script), new PlayedWorker()];
  known = registration(scope, there);
  made = registration('https://page.example/app/', ours);
  const its = host('/app/');
  await its.ready();
  its.post('hello', []);
  expect([there.posted, ours.posted]).toEqual(isTaken ? [['hello'], []] : [[], ['hello']]);
});

describe('the worker that is posted to', () => {
  test.each([
    ['ours', SCRIPT, 'activated'],
    ['foreign', 'https://page.example/other.js', 'activated'],
    ['changing', SCRIPT, 'activating'],
  ])('is %s', async (standing, script, state) => {
    made = registration('https://page.example/', new PlayedWorker(script, state));
    const its = host(null);
    await its.ready();
    expect(its.standing).toBe('changing');
    its.post('hello', []);
    expect(its.standing).toBe(standing);
  });
});

test('there can be none where the page may have none', () => {
  expect(host(null).isPossible).toBe(true);
  vi.stubGlobal('navigator', {
    get serviceWorker(): never {
      throw new DOMException('sandboxed', 'SecurityError');
    },
  });
  expect(host(null).isPossible).toBe(false);
  vi.stubGlobal('navigator', {});
  expect(host(null).isPossible).toBe(false);
});

test('what it listened to has no listener left once it is closed, however often a page connects', async () => {
  const worker = new PlayedWorker();
  const registered = registration('https://page.example/app/', worker);
  made = registered;
  const closed = [1, 2, 3].map(() => host('/app/'));
  for (const each of closed) {
    await each.ready();
    each.post('hello', []);
  }
  expect(listeners(registered, worker)).toEqual([3, 3, 3]);
  for (const each of closed) each.close();
  expect(listeners(registered, worker)).toEqual([0, 0, 0]);
});

function listeners(registered: EventTarget, worker: PlayedWorker): number[] {
  const heard = [
    [navigator.serviceWorker, 'message'],
    [registered, 'updatefound'],
    [worker, 'statechange'],
  ] as const;
  return heard.map(([target, type]) => getEventListeners(target, type).length);
}

test('a newer worker is told of that was being installed when the page came', async () => {
  const newer = new PlayedWorker(SCRIPT, 'installing');
  const there = registration('https://page.example/app/', new PlayedWorker());
  known = Object.assign(there, { installing: newer });
  made = there;
  const its = host('/app/');
  const told: boolean[] = [];
  its.watch({ waiting: () => told.push(its.waiting) });
  await its.ready();
  Object.assign(there, { installing: null, waiting: newer });
  newer.dispatchEvent(new Event('statechange'));
  expect(told).toEqual([false, true]);
});
