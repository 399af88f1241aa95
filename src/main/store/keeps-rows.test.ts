import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Answered } from '../../shared/outcome.ts';
import type { Chunk, SentBody } from '../../shared/delivery.ts';
import { FakePage } from '../page.fixture.ts';
import { Resource } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { schema } from '../resource/schema.fixture.ts';
import { RestStore } from './rest-store.ts';
import { nth } from './store.fixture.ts';

/** Rows stay the objects they are, whatever brings them. */

interface Row {
  readonly id: number;
  readonly n: number;
}

const OLD: readonly Row[] = [1, 2, 3, 4].map((id) => ({ id, n: 0 }));
/** One has changed, one has come and one has gone. */
const NEXT: readonly Row[] = [
  { id: 9, n: 0 },
  { id: 1, n: 0 },
  { id: 2, n: 7 },
  { id: 4, n: 0 },
];

const COPYING = schema((value) => ({ value: structuredClone(value) }));

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  vi.unstubAllEnvs();
  page.leave();
});

const DESCRIPTION = { get: { method: 'GET', url: '/' } } as const;

function sent(body: SentBody, wish: Partial<Answered> = {}): Answered<SentBody> {
  const { answer, ...rest } = answered(null, wish);
  return { ...rest, answer: { ...answer, body } };
}

function text(rows: unknown): SentBody {
  return { kind: 'json', text: JSON.stringify(rows) };
}

/** By number the old rows that the rows of a model are, -1 where they are none of them. */
function origins(before: unknown, after: unknown): number[] {
  if (!Array.isArray(before) || !Array.isArray(after)) throw new Error('No lists');
  return after.map((row: unknown) => before.indexOf(row));
}

/** A resource and its store, and how it is answered. */
class Stage {
  readonly photo = new Resource(DESCRIPTION, { connection: page.connection });
  readonly store = new RestStore(this.photo, 'get');
  readonly changed: boolean[] = [];
  #loop = 0;

  constructor() {
    this.photo.addListener('success', (event) => this.changed.push(event.changed));
  }

  async call(rows: unknown, wish?: Partial<Answered>): Promise<unknown> {
    await page.answer(this.photo.get(), sent(text(rows), wish));
    return this.store.model;
  }

  async refresh(rows: unknown, wish?: Partial<Answered>): Promise<unknown> {
    await page.answer(this.photo.refresh('get') ?? 0, sent(text(rows), wish));
    return this.store.model;
  }

  async poll(): Promise<void> {
    this.photo.poll('get');
    await flush();
    this.#loop = page.host.life.told('declare').at(-1)?.declaration.loop ?? 0;
  }

  async tick(body: SentBody, wish?: Partial<Answered>): Promise<unknown> {
    const outcome = sent(body, wish);
    await page.host.life.deliver({ kind: 'tick', loop: this.#loop, outcome, nextIn: 5_000 });
    await flush();
    return this.store.model;
  }

  /** As a tick of so many rows in each chunk. */
  async chunks(rows: readonly unknown[], size: number, key: string): Promise<unknown> {
    const count = Math.ceil(rows.length / size);
    for (let index = 0; index < count; index += 1) {
      const list = JSON.stringify(rows.slice(index * size, (index + 1) * size));
      const chunk: Chunk = { kind: 'chunk', to: { loop: this.#loop }, index, path: [key], text: list };
      await page.host.life.deliver(chunk);
    }
    const envelope = JSON.stringify({ total: { n: 4 }, [key]: null });
    return this.tick({ kind: 'chunked', path: [key], envelope, chunks: count });
  }
}

describe('rows that have not changed stay the objects they are', () => {
  test.each([
    ['of answers that are stored', nth(1), nth(2)],
    ['of answers that are not', {}, {}],
  ])('in a call and its refresh, %s', async (_, first, second) => {
    const stage = new Stage();
    const before = await stage.call(OLD, first);
    const after = await stage.refresh(NEXT, second);
    expect(after).toEqual(NEXT);
    expect(origins(before, after)).toEqual([-1, 0, -1, 3]);
    expect(origins(after, await stage.call(OLD))).toEqual([1, -1, -1, 3]);
  });

  test('in the ticks of a loop that come whole, and between those and calls', async () => {
    const stage = new Stage();
    await stage.poll();
    const before = await stage.tick(text(OLD), nth(1));
    const after = await stage.tick(text(NEXT), nth(2));
    expect(origins(before, after)).toEqual([-1, 0, -1, 3]);
    const called = await stage.call(OLD, nth(3));
    expect(origins(after, called)).toEqual([1, -1, -1, 3]);
    const change = { kind: 'list', runs: [1, 1, -1, 1, 3, 1], rows: '[{"id":2,"n":0}]' } as const;
    const patches = [{ path: [], envelope: null, change }];
    const patched = await stage.tick({ kind: 'patches', from: { lineage: 'a', number: 2 }, patches }, nth(4));
    expect(patched).toEqual([OLD[0], OLD[1], OLD[3]]);
    expect(origins(called, patched)).toEqual([0, 1, 3]);
  });

  test.each(['production', 'development'])('in a long list that comes in chunks (%s)', async (mode) => {
    vi.stubEnv('NODE_ENV', mode);
    const stage = new Stage();
    await stage.poll();
    const many = Array.from({ length: 50 }, (_, id) => ({ id, kept: { id }, n: 0 }));
    const before: unknown = await stage.chunks(many, 20, 'items');
    const mixed = many.map((row) => (row.id === 7 ? { ...row, n: 1 } : row)).toReversed();
    const after: unknown = await stage.chunks(mixed, 7, 'items');
    const [old, next] = [before, after].map((model): Row[] => Reflect.get(Object(model), 'items'));
    expect(after).toEqual({ total: { n: 4 }, items: mixed });
    expect(origins(old, next)).toEqual(mixed.map(({ id }) => (id === 7 ? -1 : id)));
    expect(next?.[42]).toHaveProperty('kept', Reflect.get(Object(old?.[7]), 'kept'));
    expect(Reflect.get(Object(after), 'total')).toBe(Reflect.get(Object(before), 'total'));
    expect(await stage.chunks(mixed, 11, 'items')).toBe(after);
    expect(stage.changed).toEqual([true, true, false]);
  });

  test('where a delegate makes the model', async () => {
    const stage = new Stage();
    const large = new RestStore(stage.photo, 'get', { manipulateData: (rows) => ({ rows }) });
    const selected = new RestStore(stage.photo, 'get', { select: '/0' });
    let changes = 0;
    large.addEventListener('changeModel', () => (changes += 1));
    await stage.call(OLD);
    const [before, row] = [large.model, selected.model];
    await stage.call([...OLD, { id: 5, n: 0 }]);
    const after: unknown = large.model;
    expect(selected.model).toBe(row);
    expect(origins(Reflect.get(Object(before), 'rows'), Reflect.get(Object(after), 'rows'))).toEqual([
      0, 1, 2, 3, -1,
    ]);
    await stage.call([...OLD, { id: 5, n: 0 }]);
    expect([large.model === after, changes]).toEqual([true, 2]);
  });

  test('where a schema makes the response', async () => {
    const described = { get: { ...DESCRIPTION.get, response: COPYING } };
    const photo = new Resource(described, { connection: page.connection });
    const responses: unknown[] = [];
    const changed: boolean[] = [];
    photo.addListener('success', (event) => {
      responses.push(event.response);
      changed.push(event.changed);
    });
    for (const rows of [OLD, NEXT, NEXT]) await page.answer(photo.get(), sent(text(rows)));
    expect(origins(responses[0], responses[1])).toEqual([-1, 0, -1, 3]);
    expect(responses[2]).toBe(responses[1]);
    expect(changed).toEqual([true, true, false]);
  });
});

describe('equal bytes are the very response, and no change', () => {
  test.each([
    ['of an answer that is stored', nth(1)],
    ['of one that is not', {}],
  ])('%s', async (_, wish) => {
    const stage = new Stage();
    const before = await stage.call(OLD, wish);
    expect(await stage.refresh(OLD, { ...wish, changed: !('revision' in wish) })).toBe(before);
    expect(await stage.call(OLD, wish)).toBe(before);
    expect(stage.changed).toEqual([true, false, false]);
  });

  test('nor are they looked at where the worker says that they are', async () => {
    const stage = new Stage();
    const before = await stage.call(OLD, nth(1));
    await page.answer(stage.photo.get(), sent({ kind: 'json', text: 'not to be parsed' }, nth(1)));
    expect(stage.store.model).toBe(before);
  });

  test.each([7, 'text', false])('such as %j', async (value) => {
    const stage = new Stage();
    await stage.call(value);
    await stage.call(value);
    expect(stage.changed).toEqual([true, false]);
  });

  test('but in another order of keys they are another', async () => {
    const stage = new Stage();
    const before = await stage.call({ a: 1, b: 2 });
    const after = await stage.call({ b: 2, a: 1 });
    expect([after === before, JSON.stringify(after)]).toEqual([false, '{"b":2,"a":1}']);
  });
});

test('of two resources each hears of its own changes, though they share rows', async () => {
  const stage = new Stage();
  const before = await stage.call(OLD);
  const other = new Resource(DESCRIPTION, { connection: page.connection });
  const heard: unknown[] = [];
  other.addListener('success', ({ changed, response }) => heard.push(changed, response));
  await page.answer(other.get(), sent(text(NEXT)));
  expect(heard[0]).toBe(true);
  expect(origins(before, heard[1])).toEqual([-1, 0, -1, 3]);
  const after = await stage.call(NEXT);
  expect([stage.changed, after === heard[1]]).toEqual([[true, true], true]);
});
