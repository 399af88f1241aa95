import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Header } from '../../shared/header.ts';
import { OpenStore } from '../storage/response-store.fixture.ts';
import { Cache } from './cache.ts';
import type { StoredResponse } from './cache.ts';
import { invocation, received } from './invocation.fixture.ts';
import type { Wish } from './invocation.fixture.ts';

const PHOTO = 'https://page.example/photo';
const DAY = 86_400_000;

class Stage {
  readonly store: OpenStore = new OpenStore();
  now = 1_000;
  #named = 0;
  cache: Cache;
  readonly #isIdentified: boolean;

  constructor(isIdentified = false) {
    this.#isIdentified = isIdentified;
    this.cache = this.#made();
  }

  #made(): Cache {
    const system = {
      digest: async (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex'),
      pause: async () => {},
      clock: { now: () => this.now, sleep: () => Promise.resolve() },
      uuid: () => `name ${(this.#named += 1)}`,
    };
    return new Cache(system, this.store, undefined, this.#isIdentified);
  }

  /** Another instance of the worker, with the same storage. */
  rebear(): void {
    this.cache = this.#made();
  }

  async remember(text: string, vary: string, headers: Header[] = [], wish: Wish = {}): Promise<void> {
    const call = invocation({ headers, ...wish });
    const answer = received(text, vary === '' ? [] : [['Vary', vary]]);
    await this.cache.remember(call, PHOTO, await this.cache.peek(call, PHOTO), answer);
    await this.cache.settled();
  }

  /** What is found in memory and in the storage, which must be the same. */
  async text(headers: Header[] = [], wish: Wish = {}): Promise<string | null> {
    const call = invocation({ headers, ...wish });
    const peeked = await this.#textOf(await this.cache.peek(call, PHOTO));
    const recalled = await this.#textOf(await this.cache.recall(call, PHOTO));
    if (peeked !== recalled) throw new Error(`In memory there is ${peeked}, in the storage ${recalled}`);
    return peeked;
  }

  async #textOf(stored: StoredResponse | null): Promise<string | null> {
    const body = stored && (await this.cache.body(stored));
    return body && new TextDecoder().decode(body);
  }
}

const ENGLISH: Header[] = [['Accept-Language', 'en']];
const GERMAN: Header[] = [['Accept-Language', 'de']];

describe('an answer is found', () => {
  test.each<[string, string, Header[], Header[], boolean]>([
    ['whatever headers no Vary names', '', [['Traceparent', '1']], [['Traceparent', '2']], true],
    [
      'whatever headers Vary does not name',
      'Accept-Language',
      ENGLISH,
      [...ENGLISH, ['Traceparent', '2']],
      true,
    ],
    ['not for another value of one that it names', 'Accept-Language', ENGLISH, GERMAN, false],
    ['nor without it', 'Accept-Language', ENGLISH, [], false],
    ['nor with it, if it was asked for without', 'Accept-Language', [], GERMAN, false],
    ['without it, if it was asked for without', 'Accept-Language', [], [], true],
    [
      'where both of two are the same',
      'A, B',
      [
        ['A', '1'],
        ['B', '2'],
      ],
      [
        ['B', '2'],
        ['A', '1'],
      ],
      true,
    ],
    [
      'not where one of two is another',
      'A, B',
      [
        ['A', '1'],
        ['B', '2'],
      ],
      [
        ['A', '1'],
        ['B', '3'],
      ],
      false,
    ],
    [
      'not where two have changed places',
      'A, B',
      [
        ['A', '1'],
        ['B', '2'],
      ],
      [
        ['A', '2'],
        ['B', '1'],
      ],
      false,
    ],
    ['whatever the browser itself sends', 'Accept-Encoding, Origin', [], [['X', 'y']], true],
    ['whatever the cache is told', 'Accept', [['Cache-Control', 'max-age=1']], [], true],
  ])('%s', async (_, vary, stored, asked, isFound) => {
    const stage = new Stage();
    await stage.remember('x', vary, stored);
    expect(await stage.text(asked)).toBe(isFound ? 'x' : null);
    stage.rebear();
    expect(await stage.text(asked)).toBe(isFound ? 'x' : null);
  });

  test('beside those for other values', async () => {
    const stage = new Stage();
    await stage.remember('none', 'Accept-Language');
    await stage.remember('hello', 'Accept-Language', ENGLISH);
    await stage.remember('hallo', 'Accept-Language', GERMAN);
    expect([await stage.text(), await stage.text(ENGLISH), await stage.text(GERMAN)]).toEqual([
      'none',
      'hello',
      'hallo',
    ]);
  });

  test('with one or two reads', async () => {
    const stage = new Stage();
    await stage.remember('hallo', 'Accept-Language', GERMAN);
    const { looked } = stage.store;
    await stage.cache.recall(invocation(), PHOTO);
    expect(stage.store.looked - looked).toBe(1);
    await stage.cache.recall(invocation({ headers: GERMAN }), PHOTO);
    expect(stage.store.looked - looked).toBe(3);
  });

  test('not once all of its URL is removed', async () => {
    const stage = new Stage();
    await stage.remember('none', 'Accept-Language');
    await stage.remember('hallo', 'Accept-Language', GERMAN);
    const removing = stage.cache.removeAll(PHOTO);
    expect(await stage.text(GERMAN)).toBeNull();
    await removing;
    await stage.cache.settled();
    expect(stage.store.records.size).toBe(0);
  });

  test('as outdated once all of its URL is outdated', async () => {
    const stage = new Stage();
    await stage.remember('hallo', 'Accept-Language', GERMAN);
    await stage.cache.outdateAll(PHOTO);
    await stage.cache.settled();
    expect(await stage.cache.recall(invocation({ headers: GERMAN }), PHOTO)).toMatchObject({
      isOutdated: true,
    });
  });
});

describe('an origin whose Vary changes', () => {
  const BOTH: Header[] = [...GERMAN, ['X-Size', 'small']];

  test('has answers by all headers that it names', async () => {
    const stage = new Stage();
    await stage.remember('one', 'Accept-Language', BOTH);
    await stage.remember('two', 'X-Size', BOTH);
    await stage.remember('three', 'Accept-Language', BOTH);
    expect(await stage.text(BOTH)).toBe('three');
    expect(await stage.text(GERMAN)).toBeNull();
    await stage.remember('four', 'X-Size', [...ENGLISH, ['X-Size', 'small']]);
    expect(await stage.text(BOTH)).toBe('three');
  });

  test('has no answer found that is older than one that was told since', async () => {
    const stage = new Stage();
    await stage.remember('old', 'Accept-Language', BOTH);
    await stage.remember('new', 'X-Size', BOTH);
    stage.now += DAY + 1;
    await stage.remember('other', 'Accept-Language', ENGLISH);
    expect(await stage.text(BOTH)).toBeNull();
    expect(await stage.text(ENGLISH)).toBe('other');
  });

  test('is rid of a header that it named by mistake after a day', async () => {
    const stage = new Stage();
    await stage.remember('one', 'Traceparent', [['Traceparent', '1']]);
    stage.now += DAY + 1;
    await stage.remember('two', '', [['Traceparent', '2']]);
    expect(await stage.text([['Traceparent', '3']])).toBe('two');
  });

  test('has its answers kept apart by few headers, whatever it names', async () => {
    const stage = new Stage();
    const names = Array.from({ length: 40 }, (_, nth) => `X-${nth}`);
    const asked = names.map((name): Header => [name, 'a']);
    for (const name of names) await stage.remember(name, name, asked);
    const signpost = [...stage.store.records.values()].find(({ status }) => status === 0);
    expect(signpost?.headers[0]?.[1]?.split(',').length).toBeLessThanOrEqual(16);
    expect(await stage.text(asked)).toBe('X-39');
  });
});

test('a signpost that is used is written again after an hour, so that it outlasts its variants', async () => {
  const stage = new Stage();
  const written = (): number => stage.store.changes.length;
  await stage.remember('hallo', 'Accept-Language', GERMAN);
  const first = written();
  await stage.remember('holla', 'Accept-Language', GERMAN);
  expect(written() - first).toBe(1);
  stage.now += DAY / 24;
  await stage.remember('hallo', 'Accept-Language', GERMAN);
  expect(written() - first).toBe(3);
  expect(await stage.text(GERMAN)).toBe('hallo');
});

describe('what is not stored, while nobody is signed in', () => {
  const TOKEN: Header[] = [['Authorization', 'Bearer secret-token']];

  test.each(['*', 'Cookie', 'Accept, Authorization'])('is what varies by %s', async (vary) => {
    const stage = new Stage();
    await stage.remember('old', '');
    await stage.remember('new', vary);
    expect(await stage.text()).toBeNull();
    expect(stage.store.records.size).toBe(0);
  });

  test('nor found is what the page asked for with another token, or in another life of the worker', async () => {
    const stage = new Stage();
    await stage.remember('of Alice', '', TOKEN);
    expect(await stage.text(TOKEN)).toBe('of Alice');
    expect(await stage.text([['Authorization', 'bob']])).toBeNull();
    expect(await stage.text()).toBeNull();
    const digest = createHash('sha256').update('["authorization","Bearer secret-token"]').digest('hex');
    for (const secret of ['secret-token', digest])
      expect(JSON.stringify([...stage.store.records])).not.toContain(secret);
    stage.rebear();
    expect(await stage.text(TOKEN)).toBeNull();
  });
});

describe('of somebody who is signed in', () => {
  test('answers are found with any token, in any life of the worker', async () => {
    const stage = new Stage(true);
    await stage.remember('of Alice', 'Cookie', [['Authorization', '1']]);
    stage.rebear();
    expect(await stage.text([['Authorization', '2']])).toBe('of Alice');
  });

  test('one that varies by the token must be confirmed for another, and in another life', async () => {
    const stage = new Stage(true);
    const fit = async (token: string): Promise<string> => {
      const call = invocation({ headers: [['Authorization', token]] });
      const stored = await stage.cache.recall(call, PHOTO);
      if (!stored) throw new Error('not stored');
      return stage.cache.fitOf(call, stored, call.headers);
    };
    await stage.remember('of Alice', 'Authorization', [['Authorization', '1']]);
    expect([await fit('1'), await fit('2')]).toEqual(['same', 'unproven']);
    stage.rebear();
    expect(await fit('1')).toBe('unproven');
  });

  test('nothing is stored that varies by anything', async () => {
    const stage = new Stage(true);
    await stage.remember('x', '*');
    expect(stage.store.records.size).toBe(0);
  });
});
