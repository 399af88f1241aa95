import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { RestResource } from '../resource/rest-resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
import { ChangeModelEvent } from './model-store.ts';
import type { RestStoreDelegate } from './model-store.ts';
import { RestStore } from './rest-store.ts';
import { catchThrown, nth, reported, StoreStage } from './store.fixture.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  vi.restoreAllMocks();
  page.leave();
});

describe('the model', () => {
  test('is null before the first answer, then the newest', async () => {
    const stage = new StoreStage(page);
    expect([stage.store.model, stage.store.getModel(), stage.store.getSnapshot()]).toEqual([
      null,
      null,
      null,
    ]);
    await stage.get('a', nth(1));
    await stage.get('b', nth(2));
    expect([stage.store.model, stage.store.getModel(), stage.store.getSnapshot()]).toEqual(['b', 'b', 'b']);
    expect(stage.changes).toEqual([
      [null, 'a'],
      ['a', 'b'],
    ]);
  });

  test('follows its own action only, and no failure', async () => {
    const stage = new StoreStage(page);
    await page.answer(stage.photo.put(), answered('other'));
    await page.answer(stage.photo.get(), refused(500));
    expect(stage.store.model).toBeNull();
    expect(stage.changes).toEqual([]);
  });

  test('is kept by an empty answer', async () => {
    const stage = new StoreStage(page);
    await stage.get('a', nth(1));
    await stage.get(null, nth(2));
    expect(stage.store.model).toBe('a');
    expect(stage.changes).toHaveLength(1);
  });

  test('is null where the answer is the JSON null, which is no empty one', async () => {
    const stage = new StoreStage(page);
    await stage.get({ user: 'Ann' }, nth(1));
    const body = { kind: 'value', value: null, size: 4 } as const;
    await stage.get(null, { ...nth(2), answer: { status: 200, headers: [], body } });
    expect(stage.store.model).toBeNull();
  });

  test('keeps its identity where the same is told again', async () => {
    const stage = new StoreStage(page);
    await stage.get({ id: 1 }, nth(1));
    const { model } = stage.store;
    await stage.get({ id: 1 }, { ...nth(1), changed: false });
    expect(stage.store.model).toBe(model);
    expect(stage.changes).toHaveLength(1);
  });

  test('is told of even where the first answer has not changed since it was stored', async () => {
    const stage = new StoreStage(page);
    await stage.get('a', { ...nth(1), changed: false });
    expect(stage.store.model).toBe('a');
  });

  test('may be any value that an answer has, falsy ones included', async () => {
    const stage = new StoreStage(page);
    for (const value of [0, false, '']) await stage.get(value);
    expect(stage.changes.at(-1)).toEqual([false, '']);
  });
});

describe('of calls that are answered out of order', () => {
  test('the store keeps the newest, and its window asks for that', async () => {
    const stage = new StoreStage(page);
    const [first, second] = [stage.photo.get({ page: 1 }), stage.photo.get({ page: 2 })];
    const asked = { method: 'GET', headers: [] };
    await page.answer(second, answered(['b'], { request: { ...asked, url: '/?page=2' } }));
    await page.answer(first, answered(['a'], { request: { ...asked, url: '/?page=1' } }));
    expect([stage.store.model, stage.changes]).toEqual([['b'], [[null, ['b']]]]);
    const newest = RestResource.pulseOf(stage.photo).followers.answered('get')?.record.newest;
    expect(newest?.invocation.params).toEqual([['page', '2']]);
  });

  test('an earlier one of the same URL does not come back, though nothing of it is stored', async () => {
    const stage = new StoreStage(page);
    const first = stage.photo.get();
    // Equal calls of one turn would be one.
    await flush();
    const second = stage.photo.get();
    await page.answer(second, answered('new'));
    await page.answer(first, answered('old'));
    expect(stage.store.model).toBe('new');
  });

  test('nor does the failure of an earlier one say anything of the newer', async () => {
    const stage = new StoreStage(page);
    const first = stage.photo.get();
    // Equal calls of one turn would be one.
    await flush();
    const second = stage.photo.get();
    await page.answer(second, answered('new'));
    await page.answer(first, refused(500));
    expect(stage.store.status.error).toBeNull();
  });

  test('a loop goes by when its answer comes: what it was held for is news', async () => {
    const stage = new StoreStage(page);
    stage.photo.addListener('started', () => {});
    stage.photo.longPoll('get');
    await flush();
    const loop = page.host.life.told('declare').at(-1)?.declaration.loop ?? 0;
    await page.host.life.deliver({ kind: 'ticking', loop });
    await stage.get('before');
    await stage.tick(answered('news'), 0);
    expect(stage.store.model).toBe('news');
  });
});

test('what is no resource is refused', () => {
  expect(() => Reflect.construct(RestStore, [{ get: 1 }, 'get'])).toThrow(TypeError);
});

test.each(['gett', 'invoke', 'toString'])('there is no action %s to follow', (name) => {
  const { photo } = new StoreStage(page);
  expect(() => new RestStore<RestResource>(photo, name)).toThrow(`No route for action ${name}`);
});

describe('a delegate', () => {
  test('that selects a scalar changes the model when that is another one', async () => {
    const stage = new StoreStage(page, { select: '/total' });
    await stage.get({ total: 2, page: 1 }, nth(1));
    await stage.get({ total: 2, page: 2 }, nth(2));
    await stage.get({ total: 3, page: 2 }, nth(3));
    expect(stage.changes).toEqual([
      [null, 2],
      [2, 3],
    ]);
  });

  test('makes the model of a copy of its own', async () => {
    const responses: unknown[] = [];
    const stage = new StoreStage(page, {
      manipulateData: (response) => {
        responses.push(response);
        return Object.assign(Object(response), { seen: true });
      },
    });
    const heard: unknown[] = [];
    stage.photo.addListener('success', ({ response }) => heard.push(response));
    await stage.get({ id: 1 });
    expect(stage.store.model).toEqual({ id: 1, seen: true });
    expect(heard).toEqual([{ id: 1 }]);
    expect(responses[0]).not.toBe(heard[0]);
  });

  test('that throws changes nothing, and gets the same answer again', async () => {
    const thrown = catchThrown();
    let fails = true;
    const stage = new StoreStage(page, {
      manipulateData: (response) => {
        if (fails) throw new Error('not yet');
        return response;
      },
    });
    await stage.get('a', nth(1));
    await reported(thrown);
    const before = [stage.store.model, stage.store.status.servedFrom];
    fails = false;
    await stage.get('a', nth(1));
    expect([before, stage.store.model, thrown]).toEqual([[null, null], 'a', [new Error('not yet')]]);
  });

  test('configures the requests of its action, as a method, beside the resource’s callbacks', async () => {
    class Delegate implements RestStoreDelegate {
      readonly token = '7';

      configureRequest(...[request]: Parameters<NonNullable<RestStoreDelegate['configureRequest']>>): void {
        request.setRequestHeader('X-Token', `${request.getRequestHeader('x-token')}${this.token}`);
      }
    }
    const stage = new StoreStage(page, new Delegate());
    stage.photo.configureRequest((request) => request.setRequestHeader('X-Other', '1'));
    stage.photo.get();
    stage.photo.put();
    await flush();
    const headers = page.host.life.submitted.map(({ invocation }) => invocation.headers);
    expect(headers[0]).toContainEqual(['X-Token', 'null7']);
    expect(headers[0]).toContainEqual(['X-Other', '1']);
    expect(headers[1]?.map(([name]) => name)).not.toContain('X-Token');
  });
});

describe('a subscriber', () => {
  test('is called at once and at every change, until it ends that', async () => {
    const stage = new StoreStage(page);
    const [plain, rx]: [unknown[], unknown[]] = [[], []];
    const { subscribe } = stage.store;
    const end = subscribe((model) => plain.push(model));
    const subscription = subscribe({ next: (model) => rx.push(model) });
    await stage.get('a');
    end();
    await stage.get('b');
    subscription.unsubscribe();
    await stage.get('c');
    expect(plain).toEqual([null, 'a']);
    expect(rx).toEqual([null, 'a', 'b']);
  });
});

test('a store that is disposed follows no more and configures no more', async () => {
  let configured = 0;
  const stage = new StoreStage(page, { configureRequest: () => void (configured += 1) });
  await stage.get('a');
  stage.store.dispose();
  stage.store.dispose();
  await stage.get('b');
  expect([stage.store.model, configured]).toEqual(['a', 1]);
});

test('a change has its classic accessors', () => {
  const event = new ChangeModelEvent('new', 'old');
  expect([event.type, event.getData(), event.getOldData()]).toEqual(['changeModel', 'new', 'old']);
});
