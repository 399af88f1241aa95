import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { OpenStore } from '../storage/response-store.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Cache } from './cache.ts';
import { invocation, received } from './invocation.fixture.ts';

/** Writing and emptying wait while the gate is closed. */
class SlowStore extends OpenStore {
  #isOpen = true;
  #waiting: (() => void)[] = [];

  override gate = async (): Promise<void> => {
    if (!this.#isOpen) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  };

  override async clear(): Promise<void> {
    await this.behind.clear(async () => {
      await this.gate();
      if (this.broken) throw new Error('The storage is broken');
      this.records.clear();
      this.bodies.clear();
    });
  }

  close(): void {
    this.#isOpen = false;
  }

  open(): void {
    this.#isOpen = true;
    for (const go of this.#waiting.splice(0)) go();
  }
}

class Stage {
  readonly store: SlowStore = new SlowStore();
  readonly cache: Cache;
  #names = 0;

  constructor() {
    const system: ConstructorParameters<typeof Cache>[0] = {
      digest: async (bytes) => createHash('sha256').update(bytes).digest('hex'),
      pause: async () => {},
      clock: { now: () => 1_000, sleep: () => Promise.resolve() },
      uuid: () => `name ${(this.#names += 1)}`,
    };
    this.cache = new Cache(system, this.store);
  }

  /** The keys that are stored are learned, if they can be read. */
  async look(): Promise<void> {
    await this.cache.peek(invocation(), url('other'));
    await settle();
  }

  async ask(path: string, text: string, headers: [string, string][] = []): Promise<void> {
    const { clearings } = this.cache;
    const stored = await this.cache.peek(invocation(), url(path));
    await this.cache.remember(invocation(), url(path), stored, received(text, headers), { clearings });
  }

  /** What is recalled once an answer has been told that may not be stored. */
  async recalledAfterOneUnstored(): Promise<unknown> {
    await this.cache.settled();
    await this.ask('photo', 'newer', [['Cache-Control', 'no-store']]);
    await this.cache.settled();
    return this.cache.recall(invocation(), url('photo'));
  }
}

function url(path: string): string {
  return `https://page.example/${path}`;
}

test('nothing older is recalled than what was told last, where that was told while all was being cleared', async () => {
  const stage = new Stage();
  await stage.look();
  stage.store.close();
  const clearing = stage.cache.clear();
  await settle();
  await stage.ask('photo', 'older');
  stage.store.open();
  await clearing;
  expect(await stage.recalledAfterOneUnstored()).toBeNull();
});

test('nor where it was there before, and could not be cleared away', async () => {
  const stage = new Stage();
  await stage.ask('photo', 'older');
  await stage.cache.settled();
  await stage.look();
  stage.store.broken = true;
  await expect(stage.cache.clear()).rejects.toThrow('broken');
  stage.store.broken = false;
  expect(await stage.recalledAfterOneUnstored()).toBeNull();
});

test.each([
  ['before', false],
  ['after', true],
])('nor where it was written %s the stored keys were learned at the second try', async (_when, isLate) => {
  const stage = new Stage();
  stage.store.broken = true;
  await stage.look();
  if (isLate) stage.store.close();
  await stage.cache.remember(invocation(), url('photo'), null, received('older'));
  stage.store.broken = false;
  await settle();
  await stage.look();
  stage.store.open();
  await stage.cache.settled();
  // As many others are asked for as descriptions are kept in memory.
  for (let nth = 0; nth < 1_000; nth += 1) await stage.ask(`other/${nth}`, 'other');
  expect(await stage.recalledAfterOneUnstored()).toBeNull();
});

test('all that was cleared away is known to be gone, and is not looked for', async () => {
  const stage = new Stage();
  await stage.ask('photo', 'older');
  await stage.cache.clear();
  await stage.ask('other', 'newer');
  await stage.cache.settled();
  stage.store.looked = 0;
  expect(await stage.cache.peek(invocation(), url('photo'))).toBeNull();
  expect(stage.store.looked).toBe(0);
});
