import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Resource } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { TITLED } from '../resource/schema.fixture.ts';
import { QueryStage, subscribed } from './query.fixture.ts';

let stage: QueryStage;

beforeEach(() => {
  stage = new QueryStage();
});

afterEach(() => {
  stage.page.leave();
});

describe('select', () => {
  test('may be a function, whose result shares what did not change', async () => {
    let calls = 0;
    const query = stage.photo.query(
      'list',
      {},
      {
        select: ({ items }) => {
          calls += 1;
          return items.map(({ id, title }) => ({ id, label: title }));
        },
      },
    );
    subscribed(query);
    await stage.answer({
      items: [
        { id: 1, title: 'a' },
        { id: 2, title: 'b' },
      ],
    });
    const before = query.snapshot.data;
    void query.refresh();
    await stage.answer({
      items: [
        { id: 1, title: 'a' },
        { id: 2, title: 'c' },
      ],
    });
    expect(query.snapshot.data).toEqual([
      { id: 1, label: 'a' },
      { id: 2, label: 'c' },
    ]);
    expect(query.snapshot.data?.[0]).toBe(before?.[0]);
    expect(calls).toBe(2);
  });

  test('that throws is an error of the query, and the data of before stay', async () => {
    const query = stage.photo.query('list', {}, { select: ({ items }) => items[0]?.title.length });
    const { loaded } = query;
    await stage.answer({});
    await expect(loaded).rejects.toMatchObject({ code: 'schema' });
    expect(query.snapshot).toMatchObject({ status: 'error', data: null, error: { code: 'schema' } });
    void query.refresh();
    await stage.answer({ items: [{ id: 1, title: 'Sea' }] });
    expect(query.snapshot).toMatchObject({ status: 'success', data: 3, error: null });
  });
});

describe('a schema', () => {
  test('makes the data, whoever has asked', async () => {
    const description = { get: { method: 'GET', url: '/photo/{id}', response: TITLED } } as const;
    const strict = new Resource(description, { connection: stage.page.connection });
    const query = strict.query('get', { id: 1 }, { refreshOn: { mount: false } });
    subscribed(query);
    await stage.fail();
    stage.photo.get({ id: 1 });
    await stage.answer({ id: 1 });
    expect(query.snapshot).toMatchObject({ status: 'error', error: { code: 'schema' } });
    stage.photo.get({ id: 1 });
    await stage.answer({ id: 1, title: 'Sea' });
    expect(query.snapshot).toMatchObject({ status: 'success', error: null });
  });
});

describe('keepPrevious', () => {
  test('shows the data of the query that was watched last, until its own come', async () => {
    const pages = [1, 2].map((page) => stage.photo.query('list', { page }, { keepPrevious: true }));
    const first = subscribed(pages[0]!);
    await stage.answer({ items: [] });
    expect(pages[0]?.snapshot.placeholder).toBe(false);
    expect(pages[1]?.snapshot).toMatchObject({ data: { items: [] }, placeholder: true, status: 'success' });
    subscribed(pages[1]!);
    first.leave();
    expect(pages[1]?.snapshot).toMatchObject({ placeholder: true, fetching: true, answeredAt: null });
    await stage.answer({ items: [{ id: 2, title: 'b' }] });
    expect(pages[1]?.snapshot).toMatchObject({ data: { items: [{ id: 2 }] }, placeholder: false });
  });

  test('gives way to the error of its own first request', async () => {
    subscribed(stage.photo.query('list', { page: 1 }));
    await stage.answer({ items: [] });
    const query = stage.photo.query('list', { page: 2 }, { keepPrevious: true });
    subscribed(query);
    await stage.fail();
    expect(query.snapshot).toMatchObject({ data: null, status: 'error', placeholder: false });
  });
});

describe('with an interval or long-poll options', () => {
  test('it is a loop for as long as somebody subscribes', async () => {
    const query = stage.photo.query('list', {}, { interval: 1_000 });
    const subscriber = subscribed(query);
    expect(await stage.loops()).toEqual({ declared: 1, stopped: 0 });
    expect(query.snapshot.fetching).toBe(true);
    await stage.tick({ items: [] });
    expect(query.snapshot).toMatchObject({ data: { items: [] }, fetching: false });
    await stage.tick({ items: [{ id: 1 }] });
    expect(query.snapshot).toMatchObject({ data: { items: [{ id: 1 }] } });
    subscriber.leave();
    expect(await stage.loops()).toEqual({ declared: 1, stopped: 1 });
    expect(await stage.asked()).toBe(0);
  });

  test('it asks once more for refresh', async () => {
    const query = stage.photo.query('list', {}, { longPoll: { spread: 1_000 } });
    subscribed(query);
    await stage.tick({ items: [] });
    const refreshed = query.refresh();
    await stage.answer({ items: [{ id: 1 }] });
    expect(await refreshed).toEqual({ items: [{ id: 1 }] });
  });

  test('it does not replace the loop of the app, nor is replaced by it', async () => {
    stage.photo.poll('list', {}, { interval: 5_000 });
    subscribed(stage.photo.query('list', {}, { interval: 1_000 }));
    subscribed(stage.photo.query('list', {}, { interval: 2_000 }));
    stage.photo.poll('list', {}, { interval: 6_000 });
    expect(await stage.loops()).toEqual({ declared: 4, stopped: 1 });
  });

  test('a disabled one is none', async () => {
    subscribed(stage.photo.query('list', {}, { interval: 1_000, enabled: false }));
    expect(await stage.loops()).toEqual({ declared: 0, stopped: 0 });
  });
});

describe('where headers change that the page sets', () => {
  test('the data of before stand in until there are others', async () => {
    let language = 'de';
    stage.photo.configureRequest((request) => request.setRequestHeader('Accept-Language', language));
    const query = stage.photo.query('get', { id: 1 });
    subscribed(query);
    await stage.answer({ title: 'See' });
    language = 'en';
    void query.refresh();
    await flush();
    expect(query.snapshot).toMatchObject({ data: { title: 'See' }, placeholder: true, fetching: true });
    await stage.answer({ title: 'Sea' });
    expect(query.snapshot).toMatchObject({ data: { title: 'Sea' }, placeholder: false });
  });
});

describe('on a change of identity', () => {
  test('nothing of before is shown, and nothing that still comes', async () => {
    const watched = stage.photo.query('get', { id: 1 });
    const seen = stage.photo.query('get', { id: 2 });
    const subscriber = subscribed(watched);
    await stage.answer({ id: 1 });
    void seen.loaded;
    await stage.answer({ id: 2 });
    void watched.refresh();
    await flush();
    stage.records.empty();
    expect([watched.snapshot, seen.snapshot].map(({ data, status }) => [data, status])).toEqual([
      [null, 'pending'],
      [null, 'pending'],
    ]);
    const { told } = subscriber;
    await stage.answer({ id: 1 });
    expect(watched.snapshot).toMatchObject({ data: null, status: 'pending' });
    expect(subscriber.told).toBe(told);
  });

  test('watched queries ask for the next, loops too, and keep no placeholder', async () => {
    const query = stage.photo.query('get', { id: 1 }, { keepPrevious: true, refreshOn: { mount: false } });
    const loop = stage.photo.query('list', {}, { interval: 1_000 });
    subscribed(query);
    await stage.answer({ id: 1 });
    subscribed(loop);
    await stage.tick({ items: [] });
    stage.records.empty();
    stage.records.wake('identity');
    expect(await stage.asked()).toBe(2);
    expect((await stage.loops()).declared).toBe(2);
    expect(query.snapshot).toMatchObject({ data: null, placeholder: false, fetching: true });
    await stage.answer({ id: 7 });
    await stage.tick({ items: [{ id: 7 }] });
    expect(query.snapshot.data).toEqual({ id: 7 });
    expect(loop.snapshot.data).toEqual({ items: [{ id: 7 }] });
  });
});

test('after its resource is disposed a query asks for nothing, and says so where it is asked to', async () => {
  const query = stage.photo.query('get', { id: 1 });
  subscribed(query);
  await stage.answer({ id: 1 });
  stage.photo.dispose();
  stage.show();
  expect(await stage.asked()).toBe(1);
  expect(() => query.refresh()).toThrow('disposed');
  expect(query.snapshot.data).toEqual({ id: 1 });
});
