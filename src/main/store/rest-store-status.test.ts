import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { unanswered } from '../../shared/outcome.ts';
import { FakePage } from '../page.fixture.ts';
import { TITLED } from '../resource/schema.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { answered, refused, SILENT } from '../session/invocation.fixture.ts';
import { nth, StoreStage } from './store.fixture.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

/** A store, and what was told of its status: all of it but what a test does not ask for. */
class Stage extends StoreStage {
  /** In order: the model or the status at the time of each event. */
  readonly told: unknown[] = [];

  constructor() {
    super(page);
    this.store.addEventListener('changeStatus', () => this.told.push(this.store.status));
  }

  get status(): unknown {
    return this.store.status;
  }

  /** How often the status has changed since this was asked last. */
  get tellings(): number {
    return this.told.splice(0).length;
  }
}

const ABORTED = unanswered({ code: 'aborted', message: 'aborted' });

/** Milliseconds of the epoch in so many milliseconds. */
const after = (milliseconds: number): number => Date.now() + milliseconds;

describe('where the model comes from', () => {
  test('is told of the answer that it was made of', async () => {
    const stage = new Stage();
    await stage.get('a', { servedFrom: 'cache', stale: true, age: 180 });
    expect(stage.status).toMatchObject({ servedFrom: 'cache', stale: true, age: 180 });
    vi.setSystemTime(after(60_000));
    expect(stage.status).toMatchObject({ age: 240 });
    expect(stage.tellings).toBe(1);
  });

  test('is told anew where the same is told again, and the model does not change', async () => {
    const stage = new Stage();
    await stage.get({ id: 1 }, { ...nth(1), servedFrom: 'cache', stale: true, age: 180 });
    await stage.fail(refused(500));
    const { model } = stage.store;
    expect(stage.tellings).toBe(2);
    await stage.get({ id: 1 }, { ...nth(1), changed: false, age: 2 });
    expect(stage.store.model).toBe(model);
    expect(stage.status).toMatchObject({ servedFrom: 'network', stale: false, age: 2, error: null });
    expect(stage.tellings).toBe(1);
  });

  test('is not told of an answer that is older than the model, which ends no error either', async () => {
    const stage = new Stage();
    await stage.get('b', nth(2));
    await stage.fail(refused(500));
    const before = stage.status;
    expect(stage.tellings).toBe(2);
    await stage.get('a', { ...nth(1), servedFrom: 'cache', stale: true, age: 9 });
    await stage.get(null, { ...nth(1), servedFrom: 'cache', stale: true, age: 9 });
    expect(stage.status).toEqual(before);
    expect(stage.tellings).toBe(0);
  });
});

describe('an error', () => {
  test('is kept beside the last good model', async () => {
    const stage = new Stage();
    await stage.get('a');
    await stage.fail(refused(500));
    expect(stage.store.model).toBe('a');
    expect(stage.store.status.error?.failure).toMatchObject({ code: 'http', status: 500 });
    expect(stage.store.status.servedFrom).toBe('network');
    expect(stage.tellings).toBe(2);
  });

  test('ends with the next answer, also with an empty one, which keeps the model', async () => {
    const stage = new Stage();
    await stage.get('a', { age: 7 });
    await stage.fail(refused(500));
    expect(stage.tellings).toBe(2);
    await stage.get(null, { servedFrom: 'cache', stale: true, age: 0 });
    expect(stage.store.model).toBe('a');
    expect(stage.status).toMatchObject({ error: null, servedFrom: 'network', stale: false, age: 7 });
    expect(stage.tellings).toBe(1);
    await stage.fail(refused(500));
    await stage.get('b');
    expect(stage.status).toMatchObject({ error: null });
  });

  test('is of the store’s own action, and stays where a call is aborted', async () => {
    const stage = new Stage();
    await page.answer(stage.photo.put(), refused(500));
    expect(stage.store.status.error).toBeNull();
    await stage.fail(refused(500));
    const { error } = stage.store.status;
    await stage.fail(ABORTED);
    stage.photo.abort(stage.photo.get());
    expect(error?.code).toBe('http');
    expect(stage.store.status.error).toBe(error);
  });

  test('is one too where a schema lets the answer not pass', async () => {
    const { photo, store } = new Stage();
    photo.map('get', 'GET', '/', {}, { response: TITLED });
    await page.answer(photo.get(), answered('a'));
    expect([store.model, store.status.error?.code]).toEqual([null, 'schema']);
  });
});

describe('pending writes', () => {
  test('are the calls of the resource under way that may change something', async () => {
    const stage = new Stage();
    stage.photo.get();
    expect(stage.tellings).toBe(0);
    const id = stage.photo.put();
    expect(stage.status).toMatchObject({ pendingWrites: 1 });
    expect(stage.tellings).toBe(1);
    await page.answer(id, answered('put'));
    expect(stage.status).toMatchObject({ pendingWrites: 0 });
    expect(stage.tellings).toBe(1);
  });

  test('are fewer as soon as one is aborted, or the resource is disposed', () => {
    const stage = new Stage();
    const [id] = [stage.photo.put(), stage.photo.put()];
    stage.photo.abort(id);
    expect(stage.status).toMatchObject({ pendingWrites: 1 });
    expect(stage.tellings).toBe(3);
    stage.photo.dispose();
    expect(stage.status).toMatchObject({ pendingWrites: 0 });
    expect(stage.tellings).toBe(1);
  });
});

describe('the next request of a loop', () => {
  test('is known from its start to its end', async () => {
    const stage = new Stage();
    const loop = stage.photo.poll('get', {}, { interval: 5_000 });
    const start = Date.now();
    expect(stage.status).toMatchObject({ nextPollAt: start });
    expect(stage.tellings).toBe(1);
    vi.setSystemTime(after(300));
    expect(stage.status).toMatchObject({ nextPollAt: start });
    await stage.tick(answered('a', nth(1)), 4_700);
    expect(stage.status).toMatchObject({ nextPollAt: start + 5_000, servedFrom: 'network' });
    expect(stage.tellings).toBe(1);
    loop.stop();
    expect(stage.status).toMatchObject({ nextPollAt: null });
    expect(stage.tellings).toBe(1);
  });

  test('moves with the interval and with a restart', async () => {
    const stage = new Stage();
    const loop = stage.photo.poll('get', {}, { interval: 5_000 });
    const start = Date.now();
    await stage.tick(answered('a', nth(1)), 5_000);
    expect(stage.tellings).toBe(2);
    vi.setSystemTime(after(1_000));
    loop.interval = 60_000;
    expect(stage.status).toMatchObject({ nextPollAt: start + 60_000 });
    expect(stage.tellings).toBe(1);
    loop.restart();
    expect(stage.status).toMatchObject({ nextPollAt: start + 1_000 });
    expect(stage.tellings).toBe(1);
  });

  test('is the soonest of the loops of the action, and of no other', () => {
    const stage = new Stage();
    stage.photo.poll('put', {}, { interval: 100, immediately: false });
    expect(stage.status).toMatchObject({ nextPollAt: null });
    expect(stage.tellings).toBe(0);
    stage.photo.poll('get', { page: 1 }, { interval: 9_000, immediately: false });
    stage.photo.poll('get', { page: 2 }, { interval: 7_000, immediately: false });
    expect(stage.status).toMatchObject({ nextPollAt: after(7_000) });
    expect(stage.tellings).toBe(2);
  });

  test('is told once where a loop takes the place of another', () => {
    const stage = new Stage();
    stage.photo.poll('get', {}, { interval: 9_000, immediately: false });
    expect(stage.tellings).toBe(1);
    stage.photo.poll('get', {}, { interval: 7_000, immediately: false });
    expect(stage.status).toMatchObject({ nextPollAt: after(7_000) });
    expect(stage.tellings).toBe(1);
  });

  test('is none where the worker does not keep the loop', async () => {
    const stage = new Stage();
    stage.photo.poll('get');
    await stage.tick(unanswered({ code: 'limit', message: 'enough', limit: 'loops', value: 1 }), null);
    expect(stage.store.status).toMatchObject({ nextPollAt: null, error: { code: 'limit' } });
  });

  test('is told also of a tick that changes nothing else', async () => {
    const stage = new Stage();
    stage.photo.poll('get', {}, { interval: 5_000 });
    expect(stage.tellings).toBe(1);
    await stage.tick(ABORTED, 5_000);
    expect(stage.status).toMatchObject({ nextPollAt: after(5_000) });
    expect(stage.tellings).toBe(1);
  });
});

describe('what is told', () => {
  test('is the model first, and the status is the new one by then', async () => {
    const stage = new Stage();
    const order: unknown[] = [];
    stage.store.addEventListener('changeModel', () => {
      order.push(['model', stage.store.status.servedFrom]);
      stage.photo.put();
      order.push(['put', stage.store.status.pendingWrites]);
    });
    stage.store.addEventListener('changeStatus', ({ type }) => order.push([type, stage.store.model]));
    await stage.get('a');
    expect(order).toEqual([
      ['model', 'network'],
      ['put', 1],
      ['changeStatus', 'a'],
    ]);
  });

  test('has the worker tell no more than it would', async () => {
    const stage = new Stage();
    stage.photo.poll('get');
    stage.photo.get();
    await flush();
    const { life } = page.host;
    expect(life.told('declare').map(({ declaration }) => declaration.interest)).toEqual([SILENT]);
    expect(life.submitted.map(({ interest }) => interest)).toEqual([SILENT]);
    expect(life.told('interest')).toEqual([]);
  });
});

test('a store that is disposed keeps its status, and tells of it no more', async () => {
  const stage = new Stage();
  stage.photo.put();
  stage.photo.poll('get', {}, { interval: 5_000, immediately: false });
  await stage.get('a');
  const before = stage.status;
  expect(stage.tellings).toBe(3);
  stage.store.dispose();
  stage.photo.put();
  await stage.fail(refused(500));
  stage.photo.dispose();
  expect(stage.status).toEqual(before);
  expect(before).toMatchObject({ pendingWrites: 1, error: null, servedFrom: 'network' });
  expect(stage.tellings).toBe(0);
});
