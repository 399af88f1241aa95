import { describe, expect, test } from 'vitest';
import { activation, becomesActive } from './service-worker.ts';

/** A worker whose state changes as a test says. */
class PlayedWorker extends EventTarget implements ServiceWorker {
  readonly scriptURL = 'https://page.example/worker.js';
  readonly onstatechange = null;
  readonly onerror = null;
  state: ServiceWorkerState;

  constructor(state: ServiceWorkerState = 'installing') {
    super();
    this.state = state;
  }

  postMessage(): void {}

  async become(...states: readonly ServiceWorkerState[]): Promise<void> {
    for (const state of states) {
      this.state = state;
      this.dispatchEvent(new Event('statechange'));
      await Promise.resolve();
    }
  }
}

type Slots = Partial<Record<'installing' | 'waiting' | 'active', ServiceWorker>>;

async function ending(slots: Slots, ...states: readonly ServiceWorkerState[]): Promise<unknown> {
  const registration = { installing: null, waiting: null, active: null, ...slots };
  const end = activation(registration).then(() => 'active', String);
  for (const worker of [slots.installing, slots.waiting]) {
    if (worker instanceof PlayedWorker) await worker.become(...states);
  }
  return Promise.race([end, new Promise((resolve) => setImmediate(() => resolve('pending')))]);
}

describe('whether a worker becomes active', () => {
  test.each<[ServiceWorkerState, boolean]>([
    ['activating', true],
    ['activated', true],
    ['redundant', false],
  ])('is known at once where it is %s', async (state, active) => {
    expect(await becomesActive(new PlayedWorker(state))).toBe(active);
  });

  test.each<[string, ServiceWorkerState[], unknown]>([
    ['is installed and activates', ['installed', 'activating'], true],
    ['is installed and thrown away', ['installed', 'redundant'], false],
    ['does not install', ['redundant'], false],
    ['is replaced later', ['activating', 'activated', 'redundant'], true],
    ['goes on waiting', ['installed'], 'pending'],
  ])('is known when it %s', async (_name, states, expected) => {
    const worker = new PlayedWorker();
    const active = becomesActive(worker);
    await worker.become(...states);
    const pending = new Promise((resolve) => setImmediate(() => resolve('pending')));
    expect(await Promise.race([active, pending])).toBe(expected);
  });
});

describe('a registration', () => {
  test('with an active worker serves at once, whatever installs beside it', async () => {
    const slots = { active: new PlayedWorker('activated'), installing: new PlayedWorker() };
    expect(await ending(slots)).toBe('active');
    expect(await ending({ ...slots, active: new PlayedWorker('activating') }, 'redundant')).toBe('active');
  });

  test.each(['installing', 'waiting'] as const)('with a worker that is %s waits for it', async (slot) => {
    expect(await ending({ [slot]: new PlayedWorker() })).toBe('pending');
    expect(await ending({ [slot]: new PlayedWorker() }, 'installed')).toBe('pending');
    expect(await ending({ [slot]: new PlayedWorker() }, 'activating')).toBe('active');
  });

  test('waits for the one that installs, not for one that it replaces', async () => {
    const slots = { installing: new PlayedWorker(), waiting: new PlayedWorker('redundant') };
    expect(await ending(slots, 'activating')).toBe('active');
  });

  test('whose first worker does not install says which', async () => {
    expect(await ending({ installing: new PlayedWorker() }, 'redundant')).toBe(
      'Error: The service worker https://page.example/worker.js did not install',
    );
  });

  test('without any worker says so', async () => {
    expect(await ending({})).toBe('Error: The service worker is gone before it was active');
  });
});
