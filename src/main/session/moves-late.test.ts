import { NOTHING_QUEUED } from './outbox.fixture.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChosenHost } from '../hosts/moving-host.ts';
import type { WorkerHost } from '../hosts/moving-host.ts';
import type { Standing } from '../hosts/choose.ts';
import type { Sight } from '../hosts/lookout.ts';
import { FakeHost, flush } from './host.fixture.ts';
import { answered, declaration, submission } from './invocation.fixture.ts';
import type { Wish } from './invocation.fixture.ts';
import { Session } from './session.ts';
import { fakeTime, HeardCall, HeardLoop, pass } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

/** A worker that may be had late. */
class LateWorker extends FakeHost implements WorkerHost {
  override readonly kind = 'service-worker';
  readonly isPossible = true;
  readonly begun = Promise.resolve();
  isFirstVisit = async (): Promise<boolean> => false;
  begin(): void {}
  readonly standing: Standing = 'ours';
  /** Settles when it is active, or is not to be had. */
  override ready: () => Promise<void> = async () => {};
}

/** The page's own engine, whose script may be late. */
class LateEngine extends FakeHost {
  override ready: () => Promise<void> = async () => {};
}

/** A page that chooses between both. */
class Stage {
  readonly worker = new LateWorker();
  readonly page = new LateEngine();
  readonly states: string[] = [];
  readonly chosen: ChosenHost;
  readonly session: Session;
  /** What the worker is, for one who only looks. */
  sight: Sight = 'silent';

  constructor() {
    const hosts = { 'service-worker': this.worker, page: this.page };
    this.chosen = new ChosenHost('auto', hosts, async () => this.sight);
    this.session = new Session(this.chosen, {
      token: 'token',
      now: () => Date.now(),
      elapsed: () => performance.now(),
      released: (lock, signal) => this.worker.released(lock, signal),
      changed: (state) => this.states.push(state),
      outbox: NOTHING_QUEUED,
      storage: () => {},
      origin: () => {},
      credentials: async () => ({ kind: 'failed', message: '' }),
      identified: () => {},
      waits: () => {},
    });
  }

  async call(id: number, wish: Wish = {}): Promise<HeardCall> {
    const heard = new HeardCall();
    this.session.call(submission(id, wish), heard);
    await flush();
    return heard;
  }

  async declare(): Promise<HeardLoop> {
    const heard = new HeardLoop();
    this.session.declare(declaration(), heard);
    await flush();
    return heard;
  }

  /** The worker answers from now on; it is looked for within 5 s. */
  async answer(): Promise<void> {
    this.worker.life.mute = false;
    this.sight = 'answers';
    await pass(5_000);
  }
}

const NEVER = (): Promise<void> => new Promise(() => {});
const REFUSED = async (): Promise<void> => {
  throw new Error('not allowed here');
};

describe('a page moves to the service worker that answers while it loads its own engine', () => {
  test('and waits for the engine no more', async () => {
    const stage = new Stage();
    const install = installing(stage);
    stage.page.ready = NEVER;
    const call = await stage.call(1);
    await pass(4_000);
    expect(stage.chosen.kind).toBe('page');
    install();
    await stage.answer();
    expect(stage.states).toEqual(['connecting', 'greeting', 'live']);
    await stage.worker.life.settle(1, answered('a'));
    expect(call.ends).toEqual(['a']);
  });

  test('and does not fail where the engine is not to be had', async () => {
    const stage = new Stage();
    const install = installing(stage);
    stage.page.ready = async () => {
      await new Promise((resolve) => setTimeout(resolve, 8_000));
      throw new Error('Failed to fetch dynamically imported module');
    };
    const call = await stage.call(1);
    await pass(4_000);
    install();
    await stage.answer();
    await pass(4_000);
    expect([call.ends, stage.worker.life.batches]).toEqual([[], [[1]]]);
  });

  test('and has the worker that it had before go on with its calls, which are sent once', async () => {
    const stage = new Stage();
    await stage.declare();
    const call = await stage.call(1, { method: 'POST', policy: { timeout: 60_000 } });
    const { life } = stage.worker;
    stage.page.ready = NEVER;
    await beSilent(stage);
    await stage.answer();
    await pass(15_000);
    expect([stage.states.at(-1), life.batches, life.told('close')]).toEqual(['live', [[1]], []]);
    await life.settle(1, answered('a'));
    expect(call.ends).toEqual(['a']);
  });

  test('and has the next worker answer what died with the one before', async () => {
    const stage = new Stage();
    await stage.declare();
    const [read, write] = [await stage.call(1), await stage.call(2, { method: 'POST' })];
    stage.page.ready = NEVER;
    stage.worker.revive();
    await beSilent(stage);
    await stage.answer();
    expect([write.ends, stage.worker.life.batches]).toEqual([['worker-lost'], [[1]]]);
    await stage.worker.life.settle(1, answered('a'));
    await pass(60_000);
    expect([read.ends, stage.worker.life.told('close')]).toEqual([['a'], []]);
  });
});

describe('a page that had neither a worker nor an engine', () => {
  test('has its loops with the worker that answers at last, which is not told that the session is over', async () => {
    const stage = new Stage();
    stage.page.ready = REFUSED;
    stage.worker.life.mute = true;
    const loop = await stage.declare();
    await pass(7_000);
    expect([stage.states.at(-1), loop.gists]).toEqual(['unavailable', ['not-connected']]);
    await stage.answer();
    await pass(10_000);
    expect(stage.states.at(-1)).toBe('live');
    expect(stage.worker.life.told('close')).toEqual([]);
  });
});

describe('a page that moves while it greets its own engine', () => {
  test('has the worker that has its calls answer them', async () => {
    const stage = new Stage();
    const call = await stage.call(1, { method: 'POST', policy: { timeout: 60_000 } });
    stage.page.life.mute = true;
    await beSilent(stage);
    expect([stage.page.life.greetings > 0, stage.states.at(-1)]).toEqual([true, 'greeting']);
    await stage.answer();
    await stage.worker.life.settle(1, answered('a'));
    await pass(1_000);
    expect([call.ends, stage.worker.life.batches]).toEqual([['a'], [[1]]]);
    expect([stage.page.life.told('close').length, stage.page.listeners]).toEqual([1, 0]);
  });
});

describe('a page that comes back to its own engine', () => {
  test('has what it left there answered, and its session there goes on', async () => {
    const stage = new Stage();
    stage.worker.ready = REFUSED;
    const left = await stage.call(1, { method: 'POST', policy: { timeout: 60_000 } });
    expect(stage.page.life.batches).toEqual([[1]]);
    stage.worker.ready = async () => {};
    await stage.answer();
    expect(stage.states.at(-1)).toBe('live');
    // The worker is taken away.
    stage.sight = 'silent';
    stage.worker.ready = REFUSED;
    stage.worker.replaced();
    const next = await stage.call(2, { method: 'POST' });
    await pass(1_000);
    expect([stage.chosen.kind, stage.page.life.batches]).toEqual(['page', [[1], [2]]]);
    for (const id of [1, 2]) await stage.page.life.settle(id, answered(id));
    await pass(1_000);
    expect([left.ends, next.ends]).toEqual([[1], [2]]);
    expect([stage.page.life.told('close'), stage.page.listeners]).toEqual([[], 1]);
  });
});

/** The worker that is does not answer, and another has taken its place as far as the page knows. */
async function beSilent(stage: Stage): Promise<void> {
  stage.worker.life.mute = true;
  stage.worker.replaced();
  await pass(6_500);
  expect(stage.chosen.kind).toBe('page');
}

/** The worker is installed by and by: the returned function ends that. */
function installing(stage: Stage): () => void {
  const installed = new AbortController();
  const end = new Promise<void>((resolve) => {
    installed.signal.addEventListener('abort', () => resolve());
  });
  stage.worker.ready = () => end;
  return () => installed.abort();
}
