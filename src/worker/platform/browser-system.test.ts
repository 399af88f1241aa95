import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { browserSystem } from './browser-system.ts';

const NEVER = new AbortController().signal;

beforeEach(() => {
  vi.stubGlobal('navigator', { onLine: false });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function isAsleep(sleep: Promise<void>): Promise<boolean> {
  const later = new Promise<'asleep'>((resolve) => {
    setTimeout(() => resolve('asleep'), 15);
  });
  return (await Promise.race([sleep, later])) === 'asleep';
}

describe('a sleep', () => {
  test('ends after its time', async () => {
    const { clock } = browserSystem();
    const before = clock.now();
    await clock.sleep(5, NEVER);
    expect(clock.now() - before).toBeGreaterThanOrEqual(4);
  });

  test('ends as soon as its signal aborts, and leaves no timer', async () => {
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    const end = new AbortController();
    const sleep = browserSystem().clock.sleep(60_000, end.signal);
    end.abort();
    expect(await isAsleep(sleep)).toBe(false);
    expect(cleared).toHaveBeenCalled();
  });

  test('does not begin where its signal has aborted', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout');
    await browserSystem().clock.sleep(60_000, AbortSignal.abort());
    expect(timer).not.toHaveBeenCalled();
  });

  test('that is longer than timers can be does not end at once', async () => {
    const end = new AbortController();
    const sleep = browserSystem().clock.sleep(1e12, end.signal);
    expect(await isAsleep(sleep)).toBe(true);
    end.abort();
  });
});

test('what the platform does not have is null', () => {
  expect(browserSystem()).toMatchObject({ locks: null, indexedDB: null });
});

test('what the platform has is taken from it', () => {
  const locks = {};
  const indexedDB = {};
  vi.stubGlobal('navigator', { onLine: true, locks });
  vi.stubGlobal('indexedDB', indexedDB);
  const system = browserSystem();
  expect(system.locks).toBe(locks);
  expect(system.indexedDB).toBe(indexedDB);
  expect(system.isOnline()).toBe(true);
});

test('a digest is SHA-256 in hexadecimal', async () => {
  expect(await browserSystem().digest(new TextEncoder().encode('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

test('names are new each time, random numbers from 0 up to 1', () => {
  const { uuid, random } = browserSystem();
  expect(uuid()).not.toBe(uuid());
  expect(random()).toBeGreaterThanOrEqual(0);
  expect(random()).toBeLessThan(1);
});

test('fetch is the platform’s', async () => {
  const fetched = vi.fn<typeof fetch>(() => Promise.resolve(new Response('fine')));
  vi.stubGlobal('fetch', fetched);
  const response = await browserSystem().fetch('https://page.example/', { method: 'PUT' });
  expect(await response.text()).toBe('fine');
  expect(fetched).toHaveBeenCalledWith('https://page.example/', { method: 'PUT' });
});

test('a page that came over plain http has names and digests all the same', async () => {
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(171) });
  const { digest, uuid } = browserSystem();
  expect(uuid()).toBe('ab'.repeat(16));
  expect(await digest(new TextEncoder().encode('abc'))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

test('a process without a navigator is online', () => {
  vi.stubGlobal('navigator', undefined);
  expect(browserSystem()).toMatchObject({ locks: null });
  expect(browserSystem().isOnline()).toBe(true);
});
