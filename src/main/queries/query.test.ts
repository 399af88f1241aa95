import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { QueryStage, subscribed } from './query.fixture.ts';

let stage: QueryStage;

beforeEach(() => {
  stage = new QueryStage();
});

afterEach(() => {
  stage.page.leave();
});

const whole = (one: unknown): unknown => one;

const PENDING = {
  data: null,
  error: null,
  status: 'pending',
  fetching: false,
  stale: false,
  answeredAt: null,
  servedFrom: null,
  placeholder: false,
};

describe('a query', () => {
  test('is the same object for equal parameters and options, in any order', () => {
    const { photo } = stage;
    const one = photo.query(
      'list',
      { page: 1 },
      { staleTime: 1, headers: { A: '1', B: '2' }, select: whole },
    );
    expect(
      photo.query('list', { page: '1' }, { select: whole, headers: { B: '2', A: '1' }, staleTime: 1 }),
    ).toBe(one);
    expect(
      photo.query('list', { page: 2 }, { staleTime: 1, headers: { A: '1', B: '2' }, select: whole }),
    ).not.toBe(one);
    expect(photo.query('list', { page: 1 })).not.toBe(one);
    expect(photo.query('list', { page: 1 }, { enabled: false })).not.toBe(photo.query('list', { page: 1 }));
  });

  test('asks for nothing before somebody subscribes, and shows nothing', async () => {
    const query = stage.photo.query('get', { id: 1 });
    expect(query.snapshot).toEqual(PENDING);
    expect(await stage.asked()).toBe(0);
  });

  test('loads for its first subscriber, who is not told at once', async () => {
    const query = stage.photo.query('get', { id: 1 });
    const subscriber = subscribed(query);
    expect(subscriber.told).toBe(0);
    expect(query.snapshot).toEqual({ ...PENDING, fetching: true });
    await stage.answer({ id: 1, title: 'Sea' }, { age: 2 });
    expect(subscriber.told).toBe(1);
    expect(query.snapshot).toEqual({
      ...PENDING,
      data: { id: 1, title: 'Sea' },
      status: 'success',
      answeredAt: Date.now() - 2_000,
      servedFrom: 'network',
    });
    expect(query.snapshot).toBe(query.snapshot);
    expect(Object.isFrozen(query.snapshot)).toBe(true);
  });

  test('is shown what is stored at once, and then what the server says', async () => {
    const query = stage.photo.query('get', { id: 1 });
    subscribed(query);
    const [call] = await stage.calls();
    expect(call?.invocation.policy.storedFirst).toBe(true);
    const { life } = stage.page.host;
    const stored = answered({ title: 'old' }, { servedFrom: 'cache', stale: true });
    await life.deliver({ kind: 'preliminary', id: call?.id ?? 0, outcome: stored });
    await flush();
    expect(query.snapshot).toMatchObject({
      data: { title: 'old' },
      status: 'success',
      servedFrom: 'cache',
      stale: true,
      fetching: true,
    });
    await stage.answer({ title: 'new' });
    expect(query.snapshot).toMatchObject({ data: { title: 'new' }, servedFrom: 'network', fetching: false });
    void query.refresh();
    expect((await stage.calls()).at(-1)?.invocation.policy.storedFirst).toBeUndefined();
  });

  test('sends a call of its action, with its events and its id', async () => {
    const heard: unknown[] = [];
    stage.photo.addListener('getSuccess', ({ id, response }) => heard.push([id, response]));
    subscribed(stage.photo.query('get', { id: 1 }, { headers: { 'X-One': '1' } }));
    await stage.answer({ id: 1 });
    const [call] = await stage.calls();
    expect(heard).toEqual([[call?.id, { id: 1 }]]);
    expect(call?.invocation.headers).toContainEqual(['X-One', '1']);
  });

  test('keeps the snapshot that an unchanged answer leaves as it was', async () => {
    const query = stage.photo.query('get', { id: 1 });
    const subscriber = subscribed(query);
    await stage.answer({ id: 1 });
    const before = query.snapshot;
    void query.refresh();
    await stage.answer({ id: 1 });
    expect(subscriber.told).toBe(3);
    expect(query.snapshot.data).toBe(before.data);
  });

  test('shares the rows that did not change, whatever brings them', async () => {
    const query = stage.photo.query('list', { page: 1 });
    subscribed(query);
    const [one, two] = [
      { id: 1, title: 'a' },
      { id: 2, title: 'b' },
    ];
    await stage.answer({ items: [one, two] });
    const before = query.snapshot.data?.items;
    stage.resource().list({ page: 1 });
    await stage.answer({ items: [{ ...one }, { ...two, title: 'c' }] });
    const after = query.snapshot.data?.items;
    expect(after?.[1]?.title).toBe('c');
    expect(after?.[0]).toBe(before?.[0]);
  });

  test('says what went wrong; data of before stay', async () => {
    const query = stage.photo.query('get', { id: 1 });
    subscribed(query);
    await stage.fail();
    expect(query.snapshot).toMatchObject({ status: 'error', data: null, error: { code: 'offline' } });
    void query.refresh();
    await stage.answer({ id: 1 });
    expect(query.snapshot).toMatchObject({ status: 'success', data: { id: 1 }, error: null });
    void query.refresh();
    await stage.fail();
    expect(query.snapshot).toMatchObject({ status: 'success', data: { id: 1 }, error: { code: 'offline' } });
  });

  test('is not told of an earlier call after a later one', async () => {
    const query = stage.photo.query('get', { id: 1 });
    subscribed(query);
    const later = stage.photo.get({ id: 1 });
    const [first] = await stage.calls();
    await stage.settle(answered('new'));
    await stage.page.answer(first?.id ?? 0, answered('old'));
    expect(query.snapshot.data).toBe('new');
    expect(await stage.photo.result(later)).toBe('new');
  });

  test('rests when its last subscriber has gone', async () => {
    const query = stage.photo.query('get', { id: 1 });
    const subscribers = [subscribed(query), subscribed(query)];
    await stage.answer({ id: 1 });
    for (const { leave } of subscribers) leave();
    await flush();
    stage.show();
    expect(await stage.asked()).toBe(1);
    expect(subscribers.map(({ told }) => told)).toEqual([1, 1]);
    stage.photo.get({ id: 1 });
    await stage.answer({ id: 2 });
    expect(query.snapshot.data).toEqual({ id: 2 });
  });

  test('does not load anew for one who comes as another goes', async () => {
    const query = stage.photo.query('list', {}, { interval: 1_000 });
    const first = subscribed(query);
    await stage.loops();
    first.leave();
    subscribed(query);
    expect(await stage.loops()).toEqual({ declared: 1, stopped: 0 });
  });

  test('keeps telling the others when one throws', async () => {
    const thrown: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => thrown.push(error));
    const query = stage.photo.query('get', { id: 1 });
    query.subscribe(() => {
      throw new Error('mine');
    });
    const subscriber = subscribed(query);
    await stage.answer({ id: 1 });
    process.removeAllListeners('uncaughtException');
    for (const listener of listeners) process.on('uncaughtException', listener);
    expect(subscriber.told).toBe(1);
    expect(thrown).toEqual([new Error('mine')]);
  });
});

describe('what is wrong throws at the call', () => {
  test.each<[string, () => unknown]>([
    ['No route for action gett', () => stage.photo.query(JSON.parse('"gett"'), { id: 1 })],
    ["Missing parameter 'id'", () => stage.photo.query('get', JSON.parse('{}'))],
    [
      "Unknown option 'stale' of the query of 'get'",
      () => stage.photo.query('get', { id: 1 }, JSON.parse('{"stale":1}')),
    ],
    [
      "Option 'staleTime' of the query of 'get' must be",
      () => stage.photo.query('get', { id: 1 }, { staleTime: -1 }),
    ],
    ["'select' must be a JSON pointer", () => stage.photo.query('get', { id: 1 }, { select: 'title' })],
    ['must be at least 100 ms', () => stage.photo.query('get', { id: 1 }, { interval: 10 })],
    ['exclude each other', () => stage.photo.query('get', { id: 1 }, { interval: 1_000, longPoll: true })],
  ])('%s', (message, call) => {
    expect(call).toThrow(message);
  });
});

describe('what is known is shared', () => {
  test('by all queries, calls and resources that ask the same', async () => {
    const query = stage.photo.query('get', { id: 1 });
    const selected = stage.photo.query('get', { id: 1 }, { select: '/title', refreshOn: { mount: false } });
    const other = stage.resource().query('get', { id: 1 }, { refreshOn: { mount: false } });
    const subscribers = [query, selected, other].map((each) => subscribed(each));
    expect(await stage.asked()).toBe(1);
    await stage.answer({ id: 1, title: 'Sea' });
    expect([query, selected, other].map(({ snapshot }) => snapshot.data)).toEqual([
      { id: 1, title: 'Sea' },
      'Sea',
      { id: 1, title: 'Sea' },
    ]);
    expect(other.snapshot.data).toBe(query.snapshot.data);
    expect(subscribers.map(({ told }) => told)).toEqual([1, 1, 1]);
  });

  test('an answer to one makes the others do nothing', async () => {
    const queries = [1, 2, 3].map((id) => stage.photo.query('get', { id }));
    const subscribers = queries.map((query) => subscribed(query));
    await stage.answer({ id: 3 });
    expect(subscribers.map(({ told }) => told)).toEqual([0, 0, 1]);
  });

  test('one that is made later shows it before it asks', async () => {
    stage.photo.get({ id: 1 });
    await stage.answer({ id: 1 });
    expect(stage.photo.query('get', { id: 1 }).snapshot).toMatchObject({
      data: { id: 1 },
      status: 'success',
    });
  });

  test('a disabled one shows it and never asks', async () => {
    const query = stage.photo.query('get', { id: 1 }, { enabled: false });
    subscribed(query);
    stage.show();
    expect(await stage.asked()).toBe(0);
    stage.photo.get({ id: 1 });
    await stage.answer({ id: 1 });
    expect(query.snapshot.data).toEqual({ id: 1 });
  });
});

describe('it asks again', () => {
  test('when the page is shown or the network is back, for a new subscriber, and never twice at once', async () => {
    const query = stage.photo.query('get', { id: 1 });
    subscribed(query);
    await stage.answer({ id: 1 });
    stage.hide();
    expect(await stage.asked()).toBe(1);
    stage.show();
    subscribed(query);
    expect(await stage.asked()).toBe(2);
    await stage.answer({ id: 1 });
    globalThis.dispatchEvent?.(new Event('online'));
    subscribed(query);
    expect(await stage.asked()).toBe(3);
  });

  test('unless an option or its stale time is against it', async () => {
    const options = { refreshOn: { focus: false, mount: false }, staleTime: 10_000 };
    const query = stage.photo.query('get', { id: 1 }, options);
    const fresh = stage.photo.query('get', { id: 1 }, { staleTime: 10_000 });
    subscribed(query);
    await stage.answer({ id: 1 });
    subscribed(fresh);
    stage.show();
    expect(await stage.asked()).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    subscribed(query);
    expect(await stage.asked()).toBe(1);
    subscribed(fresh);
    expect(await stage.asked()).toBe(2);
  });
});

describe('its promises', () => {
  test('loaded makes it load where nobody subscribes, and is its first data', async () => {
    const query = stage.photo.query('get', { id: 1 }, { select: '/title' });
    const { loaded } = query;
    expect(query.loaded).toBe(loaded);
    await stage.answer({ title: 'Sea' });
    expect(await loaded).toBe('Sea');
    expect(await query.loaded).toBe('Sea');
    expect(await stage.asked()).toBe(1);
  });

  test('loaded rejects with the first error, and works again after that', async () => {
    const query = stage.photo.query('get', { id: 1 });
    const { loaded } = query;
    await stage.fail();
    await expect(loaded).rejects.toMatchObject({ code: 'offline' });
    const again = query.loaded;
    await stage.answer({ id: 1 });
    expect(await again).toEqual({ id: 1 });
  });

  test('refresh asks the server whatever is fresh, and resolves with the new data', async () => {
    const query = stage.photo.query('get', { id: 1 }, { staleTime: Infinity, enabled: false });
    const refreshed = query.refresh();
    const [call] = await stage.calls();
    expect(call?.invocation.policy.revalidate).toBe(true);
    await stage.answer({ id: 1 });
    expect(await refreshed).toEqual({ id: 1 });
  });

  test('prefetch asks only where there is nothing new enough', async () => {
    const first = stage.photo.prefetch('get', { id: 1 });
    await stage.answer({ id: 1 });
    expect(await first).toEqual({ id: 1 });
    expect(stage.photo.query('get', { id: 1 }).snapshot.data).toEqual({ id: 1 });
    expect(await stage.photo.prefetch('get', { id: 1 }, { staleTime: 1_000 })).toEqual({ id: 1 });
    expect(await stage.asked()).toBe(1);
    void stage.photo.prefetch('get', { id: 1 });
    expect(await stage.asked()).toBe(2);
  });

  test('none of them is an unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const query = stage.photo.query('get', { id: 1 });
    void query.loaded;
    await stage.fail();
    void query.refresh();
    await stage.fail();
    void stage.photo.prefetch('get', { id: 1 });
    await stage.fail();
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
    expect(await stage.asked()).toBe(3);
  });
});
