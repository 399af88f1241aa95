import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { refused } from '../session/invocation.fixture.ts';
import type { BindSource } from './model-store.ts';
import { nth, StoreStage } from './store.fixture.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

describe('the model is assigned', () => {
  test('now and at every change, until it is unbound', async () => {
    const stage = new StoreStage(page);
    const list = { model: 'before' };
    const unbind = stage.store.bind('model', list, 'model');
    expect(list.model).toBeNull();
    await stage.get('a');
    expect(list.model).toBe('a');
    unbind();
    await stage.get('b');
    expect(list.model).toBe('a');
  });

  test('also where a delegate changes the one that is there', async () => {
    const own = { rows: 0 };
    const stage = new StoreStage(page, { manipulateData: () => Object.assign(own, { rows: own.rows + 1 }) });
    const taken: unknown[] = [];
    stage.store.bind('model', {}, (model) => taken.push(structuredClone(model)));
    await stage.get('a');
    await stage.get('b');
    expect(taken).toEqual([null, { rows: 1 }, { rows: 2 }]);
  });
});

describe('what lies at a path in the model', () => {
  test('is assigned now, and again whenever that changes', async () => {
    const stage = new StoreStage(page);
    const taken: unknown[] = [];
    stage.store.bind('model.author.name', {}, (name) => taken.push(name));
    await stage.get({ author: { name: 'Ada' } });
    await stage.get({ author: { name: 'Ada' }, title: 'Dusk' });
    await stage.get({ author: { name: 'Bob' } });
    expect(taken).toEqual([null, 'Ada', 'Bob']);
  });

  test('is null where the path leads nowhere', async () => {
    const stage = new StoreStage(page);
    const taken: unknown[] = [];
    stage.store.bind('model.items.0', {}, (item) => taken.push(item));
    await stage.get({ items: ['a'] });
    await stage.get({});
    await stage.get('text');
    expect(taken).toEqual([null, 'a', null]);
  });

  test('is not assigned again where it is no number once more', async () => {
    const stage = new StoreStage(page, { manipulateData: () => ({ size: Number.NaN }) });
    const taken: unknown[] = [];
    stage.store.bind('model.size', {}, (size) => taken.push(size));
    await stage.get('a');
    await stage.get('b');
    expect(taken).toEqual([null, Number.NaN]);
  });
});

describe('the status', () => {
  test('is assigned now and at every change of it', async () => {
    const stage = new StoreStage(page);
    const target = { status: {} };
    stage.store.bind('status', target, 'status');
    expect(target.status).toMatchObject({ servedFrom: null, pendingWrites: 0 });
    await stage.get('a', { servedFrom: 'cache', stale: true });
    expect(target.status).toMatchObject({ servedFrom: 'cache', stale: true });
    stage.photo.put();
    expect(target.status).toMatchObject({ pendingWrites: 1 });
  });

  test('gives what lies at a path in it, whenever that changes', async () => {
    const stage = new StoreStage(page);
    const [stale, code]: [unknown[], unknown[]] = [[], []];
    stage.store.bind('status.stale', {}, (value) => stale.push(value));
    stage.store.bind('status.error.code', {}, (value) => code.push(value));
    await stage.get('a', nth(1));
    await stage.get('a', { ...nth(1), stale: true });
    await stage.fail(refused(500));
    await stage.get('b', nth(2));
    expect(stale).toEqual([false, true, false]);
    expect(code).toEqual([null, 'http', null]);
  });
});

test('several targets are bound to one store, each unbound on its own', async () => {
  const stage = new StoreStage(page);
  const [one, other] = [{ model: null }, { deep: { name: null } }];
  const unbind = stage.store.bind('model', one, 'model');
  stage.store.bind('model.name', other, 'deep.name');
  await stage.get({ name: 'a' });
  unbind();
  await stage.get({ name: 'b' });
  expect([one, other]).toEqual([{ model: { name: 'a' } }, { deep: { name: 'b' } }]);
});

describe('what cannot be bound throws at the call', () => {
  test.each([
    ['stats', "A store has no property 'stats' to bind, only 'model', 'status' and their paths"],
    ['modeller.a', "A store has no property 'modeller.a' to bind"],
    ['', "A store has no property '' to bind"],
    ['model.', "'model.' is no path into a store's model"],
    ['model..a', "'model..a' is no path into a store's model"],
    ['status.error.', "'status.error.' is no path into a store's status"],
  ])('%j', (text, message) => {
    const source: BindSource = JSON.parse(JSON.stringify(text));
    const { store } = new StoreStage(page);
    expect(() => store.bind(source, {}, 'model')).toThrow(TypeError);
    expect(() => store.bind(source, {}, 'model')).toThrow(message);
  });

  test('a target that takes nothing, and it is not tried again', async () => {
    const stage = new StoreStage(page);
    let tries = 0;
    const refuse = (): void => {
      tries += 1;
      throw new TypeError('no');
    };
    expect(() => stage.store.bind('model', {}, refuse)).toThrow('no');
    await stage.get('a');
    expect(tries).toBe(1);
  });
});

describe('a store that is disposed', () => {
  test('assigns no more, and calls no subscriber', async () => {
    const stage = new StoreStage(page);
    const taken: unknown[] = [];
    stage.store.bind('model', {}, (model) => taken.push(model));
    stage.store.bind('status.pendingWrites', {}, (writes) => taken.push(writes));
    stage.store.subscribe((model) => taken.push(model));
    expect(taken.splice(0)).toEqual([null, 0, null]);
    stage.store.dispose();
    await stage.get('a');
    stage.photo.put();
    expect(taken).toEqual([]);
  });

  test('not even those whose turn it would have been', async () => {
    const stage = new StoreStage(page);
    const taken: unknown[] = [];
    stage.store.addEventListener('changeModel', () => stage.store.dispose());
    stage.store.bind('model', {}, (model) => taken.push(model));
    stage.store.bind('status.servedFrom', {}, (from) => taken.push(from));
    stage.store.addEventListener('changeStatus', () => taken.push('told'));
    await stage.get('a');
    expect(taken).toEqual([null, null]);
  });

  test('assigns once what is bound to it', async () => {
    const stage = new StoreStage(page);
    await stage.get('a');
    stage.store.dispose();
    const target = { model: null };
    stage.store.bind('model', target, 'model')();
    expect(target.model).toBe('a');
  });
});
