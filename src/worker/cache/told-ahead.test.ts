import * as fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isNewer } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { Cache } from './cache.ts';
import type { Remembered } from './cache.ts';
import { invocation, received, taken } from './invocation.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { OpenStore } from '../storage/response-store.fixture.ts';

const PHOTO = 'https://page.example/photo';

/** A store whose transactions wait until they are let through. */
class SlowStore extends OpenStore {
  #isOpen = false;
  #open: (() => void)[] = [];

  override gate = async (): Promise<void> => {
    if (!this.#isOpen) await new Promise<void>((resolve) => this.#open.push(resolve));
  };

  /** Lets the transaction through that waits. */
  letThrough(): void {
    for (const go of this.#open.splice(0)) go();
  }

  /** Lets all through, those too that are begun until the work is done. */
  async during(work: () => Promise<void>): Promise<void> {
    this.#isOpen = true;
    this.letThrough();
    await work();
    this.#isOpen = false;
  }
}

/** One engine's cache; several may share a store. */
class Stage {
  readonly store: SlowStore;
  readonly cache: Cache;
  pause: () => Promise<void> = async () => {};
  now = 0;
  static #named = 0;

  constructor(shared?: SlowStore) {
    this.store = new SlowStore(shared);
    this.cache = new Cache(
      {
        digest: async (bytes) => createHash('sha256').update(bytes).digest('hex'),
        pause: () => this.pause(),
        clock: { now: () => this.now, sleep: () => Promise.resolve() },
        uuid: () => `name ${(Stage.#named += 1)}`,
      },
      this.store,
    );
  }

  /** Asks, and is answered so. */
  async tell(text: string, receivedAt = 1_000): Promise<Told> {
    const stored = await this.cache.peek(invocation(), PHOTO);
    this.now = receivedAt;
    const answer = { ...received(text), receivedAt };
    const { changed, revision } = taken(
      await this.cache.remember(invocation(), PHOTO, stored, answer, { counts: false }),
    );
    return { text, changed, revision };
  }

  /** Lets the writes happen that wait. */
  write(): Promise<void> {
    return this.store.during(() => this.cache.settled());
  }

  async stored(): Promise<{ text: string | null; revision: Revision | null }> {
    const stored = await this.cache.recall(invocation(), PHOTO);
    const body = stored && (await this.cache.body(stored));
    return { text: body && new TextDecoder().decode(body), revision: stored?.revision ?? null };
  }
}

interface Told extends Pick<Remembered, 'changed' | 'revision'> {
  readonly text: string;
}

test('what an answer is to be is said before it is stored', async () => {
  const stage = new Stage();
  const told = await stage.tell('[1]');
  expect(told).toMatchObject({ changed: true, revision: { number: 1 } });
  expect(stage.store.records.size).toBe(0);
  await stage.write();
  expect(await stage.stored()).toEqual({ text: '[1]', revision: told.revision });
});

test('nobody looks up what was told or read before, stored or not', async () => {
  const stage = new Stage();
  await stage.tell('[1]');
  expect(stage.store.looked).toBe(1);
  const stored = await stage.cache.peek(invocation(), PHOTO);
  expect(stored?.size).toBe(3);
  expect(stage.store.looked).toBe(1);
  const other = new Stage(stage.store);
  await stage.write();
  await other.cache.recall(invocation(), PHOTO);
  await other.cache.peek(invocation(), PHOTO);
  expect(other.store.looked).toBe(1);
});

test('nobody looks up what is not stored, once it is known what is', async () => {
  const stage = new Stage();
  await stage.tell('[1]');
  await stage.write();
  const other = new Stage(stage.store);
  expect((await other.cache.peek(invocation(), PHOTO))?.size).toBe(3);
  await settle();
  const { looked } = stage.store;
  expect(await other.cache.peek(invocation(), `${PHOTO}/2`)).toBeNull();
  expect(stage.store.looked).toBe(looked);
  await other.cache.remember(invocation(), `${PHOTO}/2`, null, received('[2]'));
  expect((await other.cache.peek(invocation(), `${PHOTO}/2`))?.size).toBe(3);
  await Promise.all([other.write(), other.cache.clear()]);
  expect(await other.cache.peek(invocation(), PHOTO)).toBeNull();
  expect(stage.store.looked).toBe(looked);
});

test('where it cannot be said what is stored, each is looked for', async () => {
  const stage = new Stage();
  stage.store.keys = async () => ({ kind: 'unknown', error: new Error('broken') });
  for (const url of [PHOTO, `${PHOTO}/2`]) expect(await stage.cache.peek(invocation(), url)).toBeNull();
  await settle();
  await stage.cache.peek(invocation(), PHOTO);
  expect(stage.store.looked).toBe(3);
});

test('equal bytes have not changed, though the first are not stored yet', async () => {
  const stage = new Stage();
  const first = await stage.tell('[1]');
  expect(await stage.tell('[1]')).toEqual({ ...first, changed: false });
  await stage.write();
  expect(stage.store.changes).toEqual(['replace']);
  await stage.tell('[1]', 11_000);
  await stage.write();
  expect(stage.store.changes).toEqual(['replace', 'describe']);
});

test('what is told later is newer, by a clock that was set back too', async () => {
  const stage = new Stage();
  const all = [
    await stage.tell('[1]', 5_000),
    await stage.tell('[2]', 5_000),
    await stage.tell('[3]', 1_000),
  ];
  for (const [index, { revision }] of all.slice(1).entries()) {
    const before = all[index]?.revision;
    expect(revision && before && isNewer(revision, before) && !isNewer(before, revision)).toBe(true);
  }
  await stage.write();
  expect(await stage.stored()).toEqual({ text: '[3]', revision: all[2]?.revision });
});

test('of two answers that were asked for at once, the one that came last is the newer', async () => {
  const stage = new Stage();
  await stage.tell('[0]');
  const [one, other] = await Promise.all([stage.tell('[1]'), stage.tell('[2]')]);
  expect(one.revision && other.revision && isNewer(one.revision, other.revision)).toBe(false);
  await stage.write();
  expect(await stage.stored()).toEqual({ text: '[2]', revision: other.revision });
});

test('what is stored late does not make anybody forget what was told since', async () => {
  const stage = new Stage();
  await stage.tell('[1]');
  const newest = await stage.tell('[2]');
  stage.store.letThrough();
  await settle();
  expect(stage.store.changes).toEqual(['replace']);
  expect((await stage.cache.peek(invocation(), PHOTO))?.revision).toEqual(newest.revision);
});

test('what cannot be stored is gone, what was there before with it', async () => {
  const stage = new Stage();
  await stage.tell('[1]');
  await stage.write();
  const lost = await stage.tell('[2]');
  stage.store.full = true;
  await stage.write();
  expect(await stage.stored()).toEqual({ text: null, revision: null });
  stage.store.full = false;
  const next = await stage.tell('[3]');
  expect(next.changed).toBe(true);
  expect(next.revision?.lineage).not.toBe(lost.revision?.lineage);
});

test.each(['no-store answer', 'status of 404'])(
  'a %s is told at once, and what was there goes',
  async (what) => {
    const stage = new Stage();
    await stage.tell('[1]');
    await stage.write();
    const answer = what.startsWith('no')
      ? received('[2]', [['Cache-Control', 'no-store']])
      : received('', [], 404);
    const stored = await stage.cache.peek(invocation(), PHOTO);
    const remembered = await stage.cache.remember(invocation(), PHOTO, stored, answer);
    expect(remembered).toMatchObject({ changed: true, revision: null });
    expect(await stage.cache.peek(invocation(), PHOTO)).toBeNull();
    await stage.write();
    expect(stage.store.records.size).toBe(0);
  },
);

test('nothing is known of what was cleared away', async () => {
  const stage = new Stage();
  await stage.tell('[1]');
  await stage.write();
  await stage.cache.clear();
  expect(await stage.cache.peek(invocation(), PHOTO)).toBeNull();
});

describe('what another engine has stored meanwhile', () => {
  test('stays where it is the newer', async () => {
    const stage = new Stage();
    const other = new Stage(stage.store);
    await stage.tell('[0]', 500);
    await stage.write();
    await other.stored();
    await stage.tell('[1]', 1_000);
    await other.tell('[2]', 2_000);
    await Promise.all([stage.write(), other.write()]);
    expect((await stage.stored()).text).toBe('[2]');
    await other.tell('[3]', 9_000);
    await stage.tell('[4]', 8_000);
    await other.write();
    await stage.write();
    expect((await stage.stored()).text).toBe('[3]');
    expect(stage.store.changes).toEqual(['replace', 'replace', 'replace', 'replace', 'keep']);
  });

  test('is learned with the next look', async () => {
    const stage = new Stage();
    const other = new Stage(stage.store);
    await stage.tell('[1]', 1_000);
    await stage.write();
    const newer = await other.tell('[2]', 2_000);
    await other.write();
    expect((await stage.cache.peek(invocation(), PHOTO))?.revision).not.toEqual(newer.revision);
    await stage.cache.recall(invocation(), PHOTO);
    expect((await stage.cache.peek(invocation(), PHOTO))?.revision).toEqual(newer.revision);
  });
});

test('whatever happens, a revision stands for the same bytes, and the last that was told is stored', async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('tell' as const),
        text: fc.constantFrom('[1]', '[2]', '[3]'),
        at: fc.nat(50),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('tick' as const),
        text: fc.constantFrom('[1]', '[2]', '[3]'),
        at: fc.nat(50),
      }),
    },
    { weight: 3, arbitrary: fc.constant({ kind: 'write' as const }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { kind: 'fill' as const },
        { kind: 'clear' as const },
        { kind: 'die' as const },
      ),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      let stage = new Stage();
      const told: Told[] = [];
      let last: Told | null = null;
      for (const each of steps) {
        switch (each.kind) {
          case 'tell':
            last = await stage.tell(each.text, 1_000 + each.at);
            told.push(last);
            break;
          case 'tick':
            await stage.write();
            last = await tick(stage, each.text, 1_000 + each.at);
            told.push(last);
            break;
          case 'write':
            await stage.write();
            break;
          case 'fill':
            stage.store.full = true;
            await stage.write();
            stage.store.full = false;
            if (stage.store.records.size === 0) last = null;
            break;
          case 'clear':
            await stage.write();
            await stage.cache.clear();
            last = null;
            break;
          case 'die': {
            // What waits is never written; what is stored lies there for the next life.
            const next = new SlowStore();
            for (const [key, record] of stage.store.records) next.records.set(key, record);
            for (const [key, body] of stage.store.bodies) next.bodies.set(key, body);
            stage = new Stage(next);
            const { text, revision } = await stage.stored();
            last = text === null ? null : { text, revision, changed: false };
            break;
          }
        }
      }
      await stage.write();
      const { text, revision } = await stage.stored();
      expect({ text, revision }).toEqual({ text: last?.text ?? null, revision: last?.revision ?? null });
      const bytes = new Map<string, string>();
      for (const each of told) {
        const name = JSON.stringify(each.revision);
        expect(bytes.get(name) ?? each.text).toBe(each.text);
        bytes.set(name, each.text);
      }
    }),
    { numRuns: 500 },
  );
});

/** An answer that is stored before it is told, as a loop's. */
async function tick(stage: Stage, text: string, receivedAt: number): Promise<Told> {
  const stored = await stage.cache.recall(invocation(), PHOTO);
  const remembering = stage.cache.remember(invocation(), PHOTO, stored, { ...received(text), receivedAt });
  await settle();
  await stage.write();
  const { changed, revision, isStored } = taken(await remembering);
  return { text, changed, revision: (await isStored) ? revision : null };
}

test('a long answer, which takes longer to be digested, is not overtaken by the short one after it', async () => {
  const stage = new Stage();
  const pauses: (() => void)[] = [];
  stage.pause = () => new Promise((resolve) => pauses.push(resolve));
  const told: string[] = [];
  const long = stage.tell('x'.repeat(3_000_000)).then(() => told.push('long'));
  await settle();
  const short = stage.tell('short', 2_000).then(() => told.push('short'));
  await settle();
  expect(told).toEqual([]);
  while (pauses.length > 0) {
    pauses.shift()?.();
    await settle();
  }
  await Promise.all([long, short]);
  expect(told).toEqual(['long', 'short']);
  await stage.write();
  expect((await stage.stored()).text).toBe('short');
});
