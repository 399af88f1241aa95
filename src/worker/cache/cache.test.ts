import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Revision } from '../../shared/outcome.ts';
import { Cache } from './cache.ts';
import type { DeltaFrom } from '../contracts/response-store.ts';
import type { Received, Remembered } from './cache.ts';
import { invocation, received, taken } from './invocation.fixture.ts';
import type { Wish } from './invocation.fixture.ts';
import { OpenStore } from '../storage/response-store.fixture.ts';

const PHOTO = 'https://page.example/photo';

type Stored = Pick<Remembered, 'changed' | 'revision'>;

class Stage {
  readonly store: OpenStore;
  readonly cache: Cache;
  now = 1_000;
  #named = 0;

  constructor(store: OpenStore = new OpenStore()) {
    this.store = store;
    const system = {
      digest: async (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex'),
      pause: async () => {},
      clock: { now: () => this.now, sleep: () => Promise.resolve() },
      uuid: () => `name ${(this.#named += 1)}`,
    };
    this.cache = new Cache(system, store);
  }

  async remember(answer: Received, wish: Wish = {}, url: string = PHOTO): Promise<Stored> {
    const call = invocation(wish);
    return this.#stored(this.cache.remember(call, url, await this.cache.recall(call, url), answer));
  }

  /** With what makes the answer, of three bytes, of those of a revision. */
  async rememberDerived(answer: Received, from: Revision | null): Promise<Stored> {
    const call = invocation();
    const change = { runs: [-1, 3], literal: answer.bytes, size: 3 };
    const derivation: DeltaFrom | null = from && { from, change };
    const stored = await this.cache.recall(call, PHOTO);
    return this.#stored(this.cache.remember(call, PHOTO, stored, answer, { derivation }));
  }

  /** Once it is stored, or is not. */
  async #stored(remembering: Promise<Remembered | null>): Promise<Stored> {
    const { changed, revision, isStored } = taken(await remembering);
    await this.cache.settled();
    return { changed, revision: (await isStored) ? revision : null };
  }

  async text(wish: Wish = {}, url: string = PHOTO): Promise<string | null> {
    const stored = await this.cache.recall(invocation(wish), url);
    const body = stored && (await this.cache.body(stored));
    return body && new TextDecoder().decode(body);
  }
}

describe('what is stored', () => {
  test('an answer to a GET is recalled with its body', async () => {
    const stage = new Stage();
    await stage.remember(received('[1]', [['ETag', '"1"']]));
    expect(await stage.cache.recall(invocation(), PHOTO)).toMatchObject({
      url: PHOTO,
      status: 200,
      headers: [['ETag', '"1"']],
      receivedAt: 1_000,
      size: 3,
      revision: { number: 1 },
    });
    expect(await stage.text()).toBe('[1]');
  });

  test.each([200, 201, 203, 204])('a status of %i is', async (status) => {
    const stage = new Stage();
    await stage.remember(received('', [], status));
    expect(stage.store.records.size).toBe(1);
  });

  test.each([206, 300, 304, 404, 500])('a status of %i is not', async (status) => {
    const stage = new Stage();
    expect(await stage.remember(received('', [], status))).toEqual({ changed: true, revision: null });
    expect(stage.store.records.size).toBe(0);
  });

  test.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])('an answer to %s is not', async (method) => {
    const stage = new Stage();
    expect(await stage.remember(received('x'), { method })).toEqual({ changed: true, revision: null });
    expect(stage.store.records.size).toBe(0);
    await stage.remember(received('x'));
    expect(await stage.cache.recall(invocation({ method }), PHOTO)).toBeNull();
  });

  test('a call that goes to the network only neither stores nor finds anything', async () => {
    const stage = new Stage();
    const wish: Wish = { policy: { cache: 'network-only' } };
    await stage.remember(received('old'));
    expect(await stage.remember(received('new'), wish)).toEqual({ changed: true, revision: null });
    expect(await stage.cache.recall(invocation(wish), PHOTO)).toBeNull();
    expect(await stage.text()).toBe('old');
  });

  test.each([
    'no-store',
    'max-age=0, NO-STORE',
    'no-cache , no-store',
    'private="x\\"y", no-store, ext="z"',
    'ext="\\"", no-store, more="\\""',
    'ext="x, no-store',
  ])('an answer that forbids it is not, and the one before goes: %s', async (directives) => {
    const stage = new Stage();
    await stage.remember(received('old'));
    const answer = received('new', [['Cache-Control', directives]]);
    expect(await stage.remember(answer)).toEqual({ changed: true, revision: null });
    expect([stage.store.records.size, stage.store.bodies.size]).toEqual([0, 0]);
  });

  test('a request can forbid it too', async () => {
    const stage = new Stage();
    await stage.remember(received('new'), { headers: [['Cache-Control', 'no-store']] });
    expect(stage.store.records.size).toBe(0);
  });

  test('a quoted argument is no directive', async () => {
    const stage = new Stage();
    await stage.remember(received('new', [['Cache-Control', 'private="a, no-store, b"']]));
    expect(stage.store.records.size).toBe(1);
  });
});

describe('what counts as changed', () => {
  test('the first answer, on a line of its own', async () => {
    const remembered = await new Stage().remember(received('[1]'));
    expect(remembered).toEqual({ changed: true, revision: { lineage: expect.any(String), number: 1 } });
  });

  test('other bytes, which are counted on', async () => {
    const stage = new Stage();
    const first = await stage.remember(received('[1]'));
    const second = await stage.remember(received('[2]'));
    expect(second).toEqual({ changed: true, revision: { lineage: first.revision?.lineage, number: 2 } });
    expect(await stage.text()).toBe('[2]');
  });

  test('not equal bytes, of which only the description is written', async () => {
    const stage = new Stage();
    const first = await stage.remember(received('[1]', [['ETag', '"1"']]));
    const second = await stage.remember({ ...received('[1]', [['ETag', '"2"']]), receivedAt: 9_000 });
    expect(second).toEqual({ changed: false, revision: first.revision });
    expect(stage.store.changes).toEqual(['replace', 'describe']);
    expect(await stage.cache.recall(invocation(), PHOTO)).toMatchObject({
      headers: [['ETag', '"2"']],
      receivedAt: 9_000,
    });
  });

  test('bytes that were derived from those before, of which only the change is written', async () => {
    const stage = new Stage();
    const first = await stage.remember(received('[1]'));
    const second = await stage.rememberDerived(received('[2]'), first.revision);
    expect(second).toEqual({ changed: true, revision: { lineage: first.revision?.lineage, number: 2 } });
    expect(stage.store.changes).toEqual(['replace', 'amend']);
    expect(await stage.text()).toBe('[2]');
  });

  test('bytes that were derived from what another has replaced meanwhile, which are written whole', async () => {
    const stage = new Stage();
    const first = await stage.remember(received('[1]'));
    await stage.remember(received('[2]'));
    const third = await stage.rememberDerived(received('[3]'), first.revision);
    expect(third).toEqual({ changed: true, revision: { lineage: first.revision?.lineage, number: 3 } });
    expect(stage.store.changes).toEqual(['replace', 'replace', 'replace']);
  });

  test('a line is never taken up again once its answer is gone', async () => {
    const stage = new Stage();
    const first = await stage.remember(received('[1]'));
    await stage.cache.clear();
    const second = await stage.remember(received('[1]'));
    expect(second.revision?.number).toBe(1);
    expect(second.revision?.lineage).not.toBe(first.revision?.lineage);
  });

  test('an answer that was asked for before all was cleared is not stored, and one asked for since is', async () => {
    const stage = new Stage();
    const { clearings } = stage.cache;
    await stage.cache.clear();
    const before = await stage.cache.remember(invocation(), PHOTO, null, received('[1]'), { clearings });
    expect(taken(before).revision).toBeNull();
    await stage.cache.settled();
    expect(await stage.text()).toBeNull();
    await stage.remember(received('[2]'));
    expect(await stage.text()).toBe('[2]');
  });

  test('revisions of simultaneous calls are never the same for different bytes', async () => {
    const stage = new Stage();
    const call = invocation();
    await stage.remember(received('[1]'));
    const stored = await stage.cache.recall(call, PHOTO);
    const both = await Promise.all(
      ['[2]', '[3]'].map((text) => stage.cache.remember(call, PHOTO, stored, received(text))),
    );
    expect(both.map((each) => taken(each).revision?.number).toSorted((a = 0, b = 0) => a - b)).toEqual([
      2, 3,
    ]);
  });
});

describe('the key', () => {
  test('other URLs are other answers, fragments are not', async () => {
    const stage = new Stage();
    await stage.remember(received('x'), {}, `${PHOTO}?size=small#top`);
    expect(await stage.text({}, `${PHOTO}?size=small`)).toBe('x');
    expect(await stage.text({}, PHOTO)).toBeNull();
  });

  test('other credentials are other answers', async () => {
    const stage = new Stage();
    await stage.remember(received('x'), { policy: { credentials: 'include' } });
    expect(await stage.text({ policy: { credentials: 'include' } })).toBe('x');
    expect(await stage.text({ policy: { credentials: 'omit' } })).toBeNull();
    expect(await stage.text({})).toBeNull();
  });
});

describe('secrets', () => {
  test('are never stored (invariant 14)', async () => {
    const stage = new Stage();
    const wish: Wish = {
      headers: [
        ['Authorization', 'Bearer request-secret'],
        ['X-Key', 'named-secret'],
      ],
      policy: { secretHeaders: ['X-Key'] },
    };
    const answer = received('x', [
      ['set-cookie', 'session=cookie-secret'],
      ['x-key', 'answered-secret'],
      ['etag', '"1"'],
    ]);
    await stage.remember(answer, wish);
    const records = [...stage.store.records.values()];
    expect(records[0]?.headers).toEqual([['etag', '"1"']]);
    expect(JSON.stringify([...stage.store.records])).not.toContain('secret');
    const digest = createHash('sha256').update('["authorization","Bearer request-secret"]').digest('hex');
    expect(JSON.stringify([...stage.store.records])).not.toContain(digest);
    expect(await stage.text(wish)).toBe('x');
  });
});

describe('a 304', () => {
  test('makes the stored answer as good as new', async () => {
    const stage = new Stage();
    await stage.remember(
      received('[1]', [
        ['etag', '"1"'],
        ['date', 'then'],
      ]),
    );
    const stored = await stage.cache.recall(invocation(), PHOTO);
    if (!stored) throw new Error('not stored');
    await stage.cache.freshen(invocation(), stored, {
      headers: [['date', 'now']],
      receivedAt: 61_000,
      sent: [],
    });
    const fresh = await stage.cache.recall(invocation(), PHOTO);
    expect(fresh).toEqual({
      ...stored,
      headers: [
        ['etag', '"1"'],
        ['date', 'now'],
      ],
      receivedAt: 61_000,
    });
    expect(fresh && stage.cache.ageOf(fresh, 63_000)).toBe(2);
    expect(stage.store.changes).toEqual(['replace', 'describe']);
  });

  test('says nothing about an answer that came in between', async () => {
    const stage = new Stage();
    await stage.remember(received('[1]', [['etag', '"1"']]));
    const stored = await stage.cache.recall(invocation(), PHOTO);
    await stage.remember(received('[2]', [['etag', '"2"']]));
    if (stored)
      await stage.cache.freshen(invocation(), stored, {
        headers: [['etag', '"1"']],
        receivedAt: 61_000,
        sent: [],
      });
    expect(await stage.cache.recall(invocation(), PHOTO)).toMatchObject({ headers: [['etag', '"2"']] });
  });
});

describe('when the storage fails', () => {
  test('reads go on without it', async () => {
    const stage = new Stage();
    await stage.remember(received('[1]'));
    const stored = await stage.cache.recall(invocation(), PHOTO);
    if (!stored) throw new Error('not stored');
    stage.store.broken = true;
    expect(await stage.cache.recall(invocation(), PHOTO)).toBeNull();
    expect(await stage.cache.recall(invocation({ headers: [['X-Key', 'a']] }), PHOTO)).toBeNull();
    expect(await stage.cache.body(stored)).toBeNull();
    expect(await stage.remember(received('[2]'))).toEqual({ changed: true, revision: null });
    await stage.cache.freshen(invocation(), stored, { headers: [], receivedAt: 0, sent: [] });
  });

  test('an answer that finds no room does not leave an older one behind', async () => {
    const stage = new Stage();
    await stage.remember(received('old'));
    stage.store.full = true;
    expect(await stage.remember(received('new'))).toEqual({ changed: true, revision: null });
    expect(await stage.text()).toBeNull();
  });

  test('clearing tells', async () => {
    const stage = new Stage();
    stage.store.broken = true;
    await expect(stage.cache.clear()).rejects.toThrow('broken');
  });
});

test('a clock that goes back makes no negative age', async () => {
  const stage = new Stage();
  await stage.remember(received('x'));
  const stored = await stage.cache.recall(invocation(), PHOTO);
  expect(stored && stage.cache.ageOf(stored, 0)).toBe(0);
});

test('inspection says what there is', async () => {
  const stage = new Stage();
  await stage.remember(received('x'));
  expect(await stage.cache.inspect()).toEqual({ mode: 'memory', entries: 1, bytes: 0 });
});

test('the look-ups of the first second of a life are not behind the list of all keys', async () => {
  const asked: string[] = [];
  class Listing extends OpenStore {
    override find(key: string): ReturnType<OpenStore['find']> {
      asked.push('find');
      return super.find(key);
    }

    override keys(after: string | null, limit: number): ReturnType<OpenStore['keys']> {
      asked.push('keys');
      return super.keys(after, limit);
    }
  }
  const stage = new Stage(new Listing());
  const { cache } = stage;
  await cache.peek(invocation(), PHOTO);
  stage.now += 999;
  await cache.peek(invocation(), PHOTO);
  expect(asked).toEqual(['find', 'find']);
  stage.now += 1;
  await cache.peek(invocation(), PHOTO);
  expect(asked).toContain('keys');
});
