import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChosenHost } from './chosen.ts';
import type { HostChoice } from './choose.ts';
import type { Host, HostKind, HostWatcher } from './host.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

class PlayedHost implements Host {
  readonly kind: HostKind;
  readonly posted: unknown[] = [];
  readonly #ready: () => Promise<void>;

  constructor(kind: HostKind, ready: () => Promise<void>) {
    this.kind = kind;
    this.#ready = ready;
  }

  ready(): Promise<void> {
    return this.#ready();
  }

  post(message: unknown): void {
    this.posted.push(message);
  }

  waiting = false;
  skips = 0;
  readonly watchers = new Set<HostWatcher>();

  greeted(): void {}

  watch(watcher: HostWatcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  async skipWaiting(): Promise<void> {
    this.skips += 1;
  }

  listen(receive: (data: unknown) => void): () => void {
    receive(`heard from the ${this.kind}`);
    return () => {};
  }
}

interface Choice {
  readonly chosen: ChosenHost;
  readonly page: PlayedHost;
  readonly worker: PlayedHost;
}

function stage(choice: HostChoice, ready: () => Promise<void>): Choice {
  const page = new PlayedHost('page', () => Promise.resolve());
  const worker = new PlayedHost('service-worker', ready);
  const chosen = new ChosenHost(choice, { 'service-worker': worker, page });
  return { chosen, page, worker };
}

const ACTIVE = (): Promise<void> => Promise.resolve();
const REFUSED = (): Promise<void> => Promise.reject(new Error('not allowed here'));
const NEVER = (): Promise<void> => new Promise(() => {});

test.each<[HostChoice, string, () => Promise<void>, HostKind]>([
  ['auto', 'is active', ACTIVE, 'service-worker'],
  ['auto', 'is refused', REFUSED, 'page'],
  ['auto', 'is not active within 3 s', NEVER, 'page'],
  ['page', 'is active', ACTIVE, 'page'],
])('%s where the service worker %s', async (choice, _what, ready, kind) => {
  const { chosen } = stage(choice, ready);
  expect(chosen.kind).toBe(choice === 'auto' ? null : kind);
  const waited = chosen.ready();
  await vi.advanceTimersByTimeAsync(3_000);
  await waited;
  expect(chosen.kind).toBe(kind);
  const heard: unknown[] = [];
  chosen.listen((data) => heard.push(data) > 0);
  expect(heard).toEqual([`heard from the ${kind}`]);
  expect(vi.getTimerCount()).toBe(0);
});

test('a service worker that must be is not replaced', async () => {
  const { chosen } = stage('service-worker', REFUSED);
  await expect(chosen.ready()).rejects.toThrow('not allowed here');
  expect(chosen.kind).toBe('service-worker');
});

test('a choice is for life: a worker that comes late is not taken, nor one that goes given up', async () => {
  let ready: () => Promise<void> = NEVER;
  const late = stage('auto', () => ready());
  const waited = late.chosen.ready();
  await vi.advanceTimersByTimeAsync(3_000);
  await waited;
  ready = ACTIVE;
  await late.chosen.ready();
  expect(late.chosen.kind).toBe('page');
  late.chosen.post('a', []);
  expect(late.page.posted).toEqual(['a']);

  const going = stage('auto', () => ready());
  await going.chosen.ready();
  ready = REFUSED;
  await expect(going.chosen.ready()).rejects.toThrow('not allowed here');
  expect(going.chosen.kind).toBe('service-worker');
});

test('nothing is posted before it is chosen', () => {
  const { chosen } = stage('auto', NEVER);
  expect(() => chosen.post('a', [])).toThrow('not decided yet');
});

describe('a service worker that is active and never answers', () => {
  test('is given up for the page after the second greeting', async () => {
    const { chosen, page } = stage('auto', ACTIVE);
    await chosen.ready();
    chosen.greeted(false);
    await chosen.ready();
    expect(chosen.kind).toBe('service-worker');
    chosen.greeted(false);
    await chosen.ready();
    expect(chosen.kind).toBe('page');
    chosen.post('a', []);
    expect(page.posted).toEqual(['a']);
  });

  test('is an error where there must be one, and is tried again', async () => {
    const { chosen } = stage('service-worker', ACTIVE);
    await chosen.ready();
    chosen.greeted(false);
    chosen.greeted(false);
    await expect(chosen.ready()).rejects.toThrow('install(self)');
    await chosen.ready();
    expect(chosen.kind).toBe('service-worker');
  });

  test('is not one that has answered before: that one is busy, or on its way out', async () => {
    const { chosen } = stage('auto', ACTIVE);
    await chosen.ready();
    chosen.greeted(true);
    for (let greeting = 0; greeting < 5; greeting += 1) chosen.greeted(false);
    await chosen.ready();
    expect(chosen.kind).toBe('service-worker');
  });
});

test.each<[HostChoice, string, () => Promise<void>, boolean]>([
  ['auto', 'is active', ACTIVE, true],
  ['auto', 'is refused', REFUSED, false],
  ['auto', 'is not active within 3 s', NEVER, false],
  ['service-worker', 'is active', ACTIVE, true],
  ['page', 'is active', ACTIVE, false],
])(
  'a newer worker is of interest by the choice %s where the worker %s, or not',
  async (choice, _what, ready, interesting) => {
    const { chosen, worker } = stage(choice, ready);
    const waited = chosen.ready();
    await vi.advanceTimersByTimeAsync(3_000);
    await waited;
    expect(chosen.waiting).toBe(false);
    worker.waiting = true;
    expect(chosen.waiting).toBe(interesting);
  },
);

test('a newer worker is known also while it is not decided yet where the engine runs', () => {
  const { chosen, worker } = stage('auto', NEVER);
  worker.waiting = true;
  expect(chosen.waiting).toBe(true);
});

test('changes of the worker are heard of until nobody wants to, and it is replaced where it is', async () => {
  const { chosen, page, worker } = stage('auto', ACTIVE);
  const watcher = {};
  const stop = chosen.watch(watcher);
  expect([[...worker.watchers], [...page.watchers]]).toEqual([[watcher], []]);
  stop();
  expect(worker.watchers.size).toBe(0);
  await chosen.skipWaiting();
  expect([worker.skips, page.skips]).toEqual([1, 0]);
});
