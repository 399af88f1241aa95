import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChosenHost } from './moving-host.ts';
import type { WorkerHost } from './moving-host.ts';
import type { HostChoice, Standing } from './choose.ts';
import type { Endpoint, HostKind, HostWatcher } from './host.ts';
import type { Sight } from './lookout.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

class PlayedHost implements WorkerHost, Endpoint {
  readonly kind: HostKind;
  readonly posted: unknown[] = [];
  readonly isPossible: boolean = true;
  begun = Promise.resolve();
  isFirstVisit = async (): Promise<boolean> => false;
  begin(): void {}
  ready: () => Promise<void>;
  standing: Standing = 'ours';
  waiting = false;
  skips = 0;
  readonly watchers = new Set<HostWatcher>();

  constructor(kind: HostKind, ready: () => Promise<void>) {
    this.kind = kind;
    this.ready = ready;
  }

  get endpoint(): Endpoint {
    return this;
  }

  post(message: unknown): void {
    this.posted.push(message);
  }

  greeted(): void {}

  watch(watcher: HostWatcher): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  tell(what: 'replaced' | 'lockStolen' | 'waiting'): void {
    for (const watcher of this.watchers) watcher[what]?.();
  }

  async skipWaiting(): Promise<void> {
    this.skips += 1;
  }

  close(): void {}

  listen(receive: (data: unknown) => boolean): () => void {
    receive(`heard from the ${this.kind}`);
    return () => {};
  }
}

/** A choice, and what is heard of it. */
class Choice {
  readonly page: PlayedHost = new PlayedHost('page', () => Promise.resolve());
  readonly worker: PlayedHost;
  readonly chosen: ChosenHost;
  /** What the worker is, for one who only looks. */
  sight: Sight = 'silent';
  looks = 0;
  moves = 0;
  /** `kind` and `reason` whenever they have changed. */
  readonly decisions: (readonly [kind: HostKind | null, reason: string | null])[] = [];

  constructor(choice: HostChoice, ready: () => Promise<void>, isPossible = true) {
    this.worker = Object.assign(new PlayedHost('service-worker', ready), { isPossible });
    this.chosen = new ChosenHost(choice, { 'service-worker': this.worker, page: this.page }, async () => {
      this.looks += 1;
      return this.sight;
    });
    this.chosen.watch({
      moved: () => (this.moves += 1),
      decided: () => this.decisions.push([this.chosen.kind, this.chosen.reason]),
    });
  }

  /** Is ready, however long that takes. */
  async decide(): Promise<void> {
    const ready = this.chosen.ready();
    await vi.advanceTimersByTimeAsync(3_000);
    await ready;
  }
}

const ACTIVE = (): Promise<void> => Promise.resolve();
const REFUSED = (): Promise<void> => Promise.reject(new Error('not allowed here'));
const NEVER = (): Promise<void> => new Promise(() => {});
const LATE = 'The service worker was not active within 3000 ms; it takes over when it is';
const SILENT =
  "the service worker is active but does not answer; does its script call install(self) of 'offstage/worker'?";

test.each<[HostChoice, string, () => Promise<void>, HostKind, string | null]>([
  ['auto', 'is active', ACTIVE, 'service-worker', null],
  ['auto', 'is refused', REFUSED, 'page', 'not allowed here'],
  ['auto', 'is not active within 3 s', NEVER, 'page', LATE],
  ['page', 'is active', ACTIVE, 'page', "The app has chosen it by `host: 'page'`"],
])('%s where the service worker %s', async (choice, _what, ready, kind, reason) => {
  const stage = new Choice(choice, ready);
  const { chosen } = stage;
  expect(chosen.kind).toBe(choice === 'auto' ? null : kind);
  await stage.decide();
  expect([chosen.kind, chosen.reason]).toEqual([kind, reason]);
  expect(stage.decisions).toEqual(choice === 'auto' ? [[kind, reason]] : []);
  const heard: unknown[] = [];
  chosen.endpoint.listen((data) => heard.push(data) > 0);
  expect(heard).toEqual([`heard from the ${kind}`]);
});

test('the page runs the engine itself where the browser never says which workers it has', async () => {
  const stage = new Choice('auto', NEVER);
  stage.worker.begun = NEVER();
  const ready = stage.chosen.ready();
  await vi.advanceTimersByTimeAsync(6_000);
  expect([stage.chosen.kind, stage.chosen.reason]).toEqual(['page', LATE]);
  await ready;
});

test('a service worker that must be is not replaced', async () => {
  const { chosen } = new Choice('service-worker', REFUSED);
  await expect(chosen.ready()).rejects.toThrow('not allowed here');
  expect(chosen.kind).toBe('service-worker');
});

test('there is no endpoint before it is chosen', () => {
  const { chosen } = new Choice('auto', NEVER);
  expect(() => chosen.endpoint).toThrow('not decided yet');
});

test('nobody looks for a service worker where there can be none', async () => {
  const stage = new Choice('auto', REFUSED, false);
  await stage.decide();
  expect(stage.chosen.kind).toBe('page');
  expect(vi.getTimerCount()).toBe(0);
});

describe('a page that has come to run the engine itself', () => {
  test('moves to the service worker that comes late, as soon as that answers', async () => {
    const installed = new AbortController();
    const installing = new Promise<void>((resolve) => {
      installed.signal.addEventListener('abort', () => resolve());
    });
    const stage = new Choice('auto', () => installing);
    await stage.decide();
    const before = stage.chosen.endpoint;
    stage.sight = 'answers';
    await vi.advanceTimersByTimeAsync(60_000);
    expect([stage.chosen.kind, stage.looks, stage.moves]).toEqual(['page', 0, 0]);
    installed.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect([stage.chosen.kind, stage.chosen.reason, stage.moves]).toEqual(['service-worker', null, 1]);
    expect(stage.decisions).toEqual([
      ['page', LATE],
      ['service-worker', null],
    ]);
    before.post('to the one before', []);
    stage.chosen.endpoint.post('to the one after', []);
    expect([stage.page.posted, stage.worker.posted]).toEqual([['to the one before'], ['to the one after']]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('moves to one that was refused at first: it is asked for again', async () => {
    const stage = new Choice('auto', REFUSED);
    await stage.decide();
    stage.worker.ready = ACTIVE;
    stage.sight = 'answers';
    await vi.advanceTimersByTimeAsync(1_999);
    expect(stage.moves).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([stage.chosen.kind, stage.moves]).toEqual(['service-worker', 1]);
  });

  test('looks no more once it is closed', async () => {
    const stage = new Choice('auto', REFUSED);
    await stage.decide();
    stage.chosen.close();
    stage.worker.ready = ACTIVE;
    stage.sight = 'answers';
    await vi.advanceTimersByTimeAsync(600_000);
    expect([stage.chosen.kind, stage.looks, vi.getTimerCount()]).toEqual(['page', 0, 0]);
  });

  test.each(['lockStolen', 'waiting', 'replaced'] as const)(
    'looks at once when it hears: %s',
    async (what) => {
      const stage = new Choice('auto', REFUSED);
      await stage.decide();
      await vi.advanceTimersByTimeAsync(300_000);
      stage.worker.ready = ACTIVE;
      stage.sight = 'answers';
      (what === 'lockStolen' ? stage.page : stage.worker).tell(what);
      await vi.advanceTimersByTimeAsync(0);
      expect([stage.chosen.kind, stage.moves]).toEqual(['service-worker', 1]);
    },
  );

  test('and has moved comes back where the service worker is gone, and moves again', async () => {
    const stage = new Choice('auto', REFUSED);
    await stage.decide();
    stage.worker.ready = ACTIVE;
    stage.sight = 'answers';
    await vi.advanceTimersByTimeAsync(5_000);
    stage.worker.ready = REFUSED;
    await stage.decide();
    expect([stage.chosen.kind, stage.chosen.reason]).toEqual(['page', 'not allowed here']);
    stage.worker.ready = ACTIVE;
    await vi.advanceTimersByTimeAsync(5_000);
    expect([stage.chosen.kind, stage.moves]).toEqual(['service-worker', 2]);
  });
});

describe('a service worker that is active and never answers', () => {
  test('is done without after the second greeting', async () => {
    const stage = new Choice('auto', ACTIVE);
    const { chosen, page } = stage;
    await chosen.ready();
    chosen.greeted(false);
    await chosen.ready();
    expect(chosen.kind).toBe('service-worker');
    chosen.greeted(false);
    await chosen.ready();
    expect([chosen.kind, chosen.reason]).toEqual(['page', SILENT]);
    chosen.endpoint.post('a', []);
    expect(page.posted).toEqual(['a']);
  });

  test('is done without after the first where its script is not the app’s', async () => {
    const stage = new Choice('auto', ACTIVE);
    stage.worker.standing = 'foreign';
    await stage.chosen.ready();
    stage.chosen.greeted(false);
    await stage.chosen.ready();
    expect(stage.chosen.kind).toBe('page');
  });

  test('is looked at again and again, ever less often, and moved to when it answers after all', async () => {
    const stage = new Choice('auto', ACTIVE);
    stage.worker.standing = 'foreign';
    await stage.chosen.ready();
    stage.chosen.greeted(false);
    await stage.chosen.ready();
    const looks: number[] = [];
    for (const after of [5_000, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
      await vi.advanceTimersByTimeAsync(after);
      looks.push(stage.looks);
    }
    expect(looks).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    stage.sight = 'answers';
    await vi.advanceTimersByTimeAsync(300_000);
    expect(stage.chosen.kind).toBe('service-worker');
  });

  test('but says that it is on its way out is looked at every second', async () => {
    const stage = new Choice('auto', REFUSED);
    await stage.decide();
    stage.worker.ready = ACTIVE;
    stage.sight = 'draining';
    await vi.advanceTimersByTimeAsync(7_000);
    expect(stage.looks).toBe(6);
  });

  test('is an error where there must be one, and is tried again', async () => {
    const { chosen } = new Choice('service-worker', ACTIVE);
    await chosen.ready();
    chosen.greeted(false);
    chosen.greeted(false);
    await expect(chosen.ready()).rejects.toThrow('install(self)');
    await chosen.ready();
    expect(chosen.kind).toBe('service-worker');
  });

  test('is waited for while it is on its way in or out, but not for ever', async () => {
    const stage = new Choice('auto', ACTIVE);
    stage.worker.standing = 'changing';
    await stage.chosen.ready();
    const kinds: unknown[] = [];
    for (let greeting = 0; greeting < 4; greeting += 1) {
      // As one that withdraws itself whenever it is registered.
      stage.worker.tell('replaced');
      await stage.chosen.ready();
      kinds.push(stage.chosen.kind);
    }
    expect(kinds).toEqual(['service-worker', 'service-worker', 'service-worker', 'page']);
  });

  test('is not one whose greeting was cut short by an update: the next has as long as any', async () => {
    const stage = new Choice('auto', ACTIVE);
    await stage.chosen.ready();
    stage.worker.tell('replaced');
    stage.chosen.greeted(false);
    await stage.chosen.ready();
    expect(stage.chosen.kind).toBe('service-worker');
  });

  test('is not one that has answered before: that one is busy; the next may be', async () => {
    const stage = new Choice('auto', ACTIVE);
    const { chosen } = stage;
    await chosen.ready();
    chosen.greeted(true);
    for (let greeting = 0; greeting < 5; greeting += 1) chosen.greeted(false);
    await chosen.ready();
    expect(chosen.kind).toBe('service-worker');
    stage.worker.tell('replaced');
    for (let greeting = 0; greeting < 2; greeting += 1) chosen.greeted(false);
    await chosen.ready();
    expect(chosen.kind).toBe('page');
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
    const stage = new Choice(choice, ready);
    const { chosen, worker } = stage;
    await stage.decide();
    expect(chosen.waiting).toBe(false);
    worker.waiting = true;
    expect(chosen.waiting).toBe(interesting);
  },
);

test('a newer worker is known also while it is not decided yet where the engine runs', () => {
  const { chosen, worker } = new Choice('auto', NEVER);
  worker.waiting = true;
  expect(chosen.waiting).toBe(true);
});

test('changes of the worker are heard of until nobody wants to, and it is replaced where it is', async () => {
  const { chosen, page, worker } = new Choice('auto', ACTIVE);
  const heard: string[] = [];
  const stop = chosen.watch({ waiting: () => heard.push('waiting'), replaced: () => heard.push('replaced') });
  worker.tell('waiting');
  worker.tell('replaced');
  stop();
  worker.tell('waiting');
  expect(heard).toEqual(['waiting', 'replaced']);
  await chosen.skipWaiting();
  expect([worker.skips, page.skips]).toEqual([1, 0]);
});
