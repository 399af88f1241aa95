import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findUser } from '../users.ts';
import type { User } from '../users.ts';
import { Account } from './account.ts';
import type { AccountState, Identity } from './account.ts';

const [MIRA, JONAS] = [known('mira'), known('jonas')];

/** The steps that were taken, in order. */
let steps: string[];
/** The server: whose session the cookie is, and whether it can be reached. */
let cookie: string | null;
let isReachable: boolean;
/** The page's listeners, by event. */
let listeners: Map<string, (event: object) => void>;
let stored: Map<string, string>;
let account: Account;
let identity: FakeIdentity;
let state: AccountState;

beforeEach(() => {
  steps = [];
  cookie = null;
  isReachable = true;
  listeners = new Map();
  stored = new Map();
  vi.stubGlobal('fetch', answer);
  vi.stubGlobal('navigator', { locks: oneAfterTheOther() });
  vi.stubGlobal('caches', {
    keys: () => Promise.resolve([]),
    open: () => Promise.resolve({ put: () => Promise.resolve() }),
  });
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  });
  vi.stubGlobal('addEventListener', (type: string, listener: (event: object) => void) => {
    listeners.set(type, listener);
  });
  vi.useFakeTimers();
  identity = new FakeIdentity();
  const part = {
    begin: ({ name }: User) => steps.push(`begin ${name}`),
    end: () => steps.push('end'),
  };
  account = new Account(identity, [part]);
  account.subscribe((told) => (state = told));
});

// Test files share their globals.
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

class FakeIdentity extends EventTarget implements Identity {
  identity: string | null = null;

  signIn(name: string): Promise<void> {
    steps.push(`in ${name}`);
    this.identity = name;
    return Promise.resolve();
  }

  signOut(): Promise<void> {
    steps.push('out');
    this.identity = null;
    return Promise.resolve();
  }
}

function answer(
  _path: string,
  { method, body }: { method: string; body: URLSearchParams | null },
): Promise<Response> {
  if (!isReachable) return Promise.reject(new TypeError('Failed to fetch'));
  const user = body?.get('user') ?? null;
  if (method !== 'GET') {
    steps.push(`${method} ${user ?? ''}`.trim());
    cookie = user;
  }
  return Promise.resolve(Response.json({ user: cookie }));
}

/** Locks as a browser has them, for the one tab that there is. */
function oneAfterTheOther(): { request(name: string, work: () => Promise<void>): Promise<void> } {
  let last = Promise.resolve();
  return {
    request(_name, work) {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    },
  };
}

function known(name: string): User {
  const user = findUser(name);
  if (!user) throw new Error(`There is no ${name}.`);
  return user;
}

function remember(user: string | null, agreed = true): void {
  stored.set('account', JSON.stringify({ user, agreed }));
}

async function signedIn(user: User): Promise<void> {
  remember(user.name);
  cookie = user.name;
  account.start();
  await settled();
  steps = [];
}

const settled = () => vi.advanceTimersByTimeAsync(0);

describe('an account', () => {
  test('goes on as whoever was signed in, before the server has been heard', async () => {
    remember('mira');
    isReachable = false;
    account.start();
    await settled();
    expect([steps, state]).toEqual([['in mira', 'begin mira'], { kind: 'signed-in', user: MIRA }]);
  });

  test('is whose the cookie is where the page has forgotten it', async () => {
    cookie = 'jonas';
    account.start();
    await settled();
    expect(steps).toEqual(['in jonas', 'begin jonas']);
  });

  test('is nobody’s at first, and Offstage is told so', async () => {
    account.start();
    await settled();
    expect([steps, state]).toEqual([['out'], { kind: 'nobody', note: null }]);
  });

  test('can be chosen before Offstage has answered for the first time', async () => {
    identity.signOut = () => new Promise(() => {});
    account.start();
    await settled();
    expect(state).toEqual({ kind: 'nobody', note: null });
  });

  test('believes nothing that the server said before somebody signed in', async () => {
    remember(null);
    const said: ((answer: Response) => void)[] = [];
    const late = new Promise<Response>((resolve) => said.push(resolve));
    vi.stubGlobal('fetch', (path: string, init: Parameters<typeof answer>[1]) =>
      init.method === 'GET' ? late : answer(path, init),
    );
    account.start();
    await settled();
    account.change(MIRA);
    await settled();
    said[0]?.(Response.json({ user: null }));
    await settled();
    expect(state).toEqual({ kind: 'signed-in', user: MIRA });
  });

  test('lets go of the one before the cookie changes, and begins the other after it', async () => {
    await signedIn(MIRA);
    account.change(JONAS);
    await settled();
    expect(steps).toEqual(['end', 'out', 'POST jonas', 'in jonas', 'begin jonas']);
    steps = [];
    account.change(null);
    await settled();
    expect([steps, cookie]).toEqual([['end', 'out', 'DELETE'], null]);
  });

  test('asks for nothing of a user of whom the server cannot be told, and tells it later', async () => {
    await signedIn(MIRA);
    isReachable = false;
    account.change(JONAS);
    await settled();
    expect([steps, state]).toEqual([['end', 'out'], { kind: 'waiting', user: JONAS }]);
    isReachable = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(steps.slice(-3)).toEqual(['POST jonas', 'in jonas', 'begin jonas']);
  });

  test('waits on after a reload', async () => {
    remember('jonas', false);
    cookie = 'mira';
    isReachable = false;
    account.start();
    await settled();
    expect([steps, state]).toEqual([['out'], { kind: 'waiting', user: JONAS }]);
    isReachable = true;
    listeners.get('online')?.({});
    await settled();
    expect(steps.slice(-3)).toEqual(['POST jonas', 'in jonas', 'begin jonas']);
  });

  test('is signed out here at once, and at the server when that can be told', async () => {
    await signedIn(MIRA);
    isReachable = false;
    account.change(null);
    await settled();
    expect(state).toMatchObject({ kind: 'nobody', note: expect.stringContaining('on this device') });
    expect(cookie).toBe('mira');
    isReachable = true;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([cookie, state]).toEqual([null, { kind: 'nobody', note: null }]);
  });

  test('ends when the server does not know the cookie any more', async () => {
    await signedIn(MIRA);
    account.expire();
    // Every loop hears of it.
    account.expire();
    await settled();
    expect([steps, state]).toMatchObject([
      ['end', 'out'],
      { kind: 'nobody', note: 'Your session has ended. Sign in again.' },
    ]);
  });

  test.each([
    [null, ['in mira', 'begin mira', 'end', 'out']],
    ['jonas', ['in mira', 'begin mira', 'end', 'in jonas', 'begin jonas']],
  ])('follows a cookie that has become %s', async (now, expected) => {
    remember('mira');
    cookie = now;
    account.start();
    await settled();
    expect(steps).toEqual(expected);
  });

  test('follows another tab: it lets go at once, and begins when that tab has done', async () => {
    await signedIn(MIRA);
    remember('jonas', false);
    listeners.get('storage')?.({ key: 'account' });
    expect(steps).toEqual(['end']);
    remember('jonas');
    cookie = 'jonas';
    listeners.get('storage')?.({ key: 'account' });
    await settled();
    expect(steps.slice(-2)).toEqual(['in jonas', 'begin jonas']);
    expect(steps.filter((step) => step.startsWith('POST'))).toEqual([]);
  });

  test('lets go when Offstage has another identity', async () => {
    await signedIn(MIRA);
    identity.identity = null;
    identity.dispatchEvent(new Event('identity'));
    expect(steps).toEqual(['end']);
  });

  test('is nobody’s, with the reason, where Offstage fails', async () => {
    identity.signIn = () => Promise.reject(new Error('no storage'));
    remember('mira');
    account.start();
    await settled();
    expect(state).toMatchObject({ kind: 'nobody', note: expect.stringContaining('no storage') });
  });
});
