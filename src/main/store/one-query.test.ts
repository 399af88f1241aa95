import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Connection } from '../connection/connection.ts';
import { FakePage } from '../page.fixture.ts';
import { Resource } from '../resource/resource.ts';
import type { RestResource } from '../resource/rest-resource.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { RestStore } from './rest-store.ts';
import { StoreStage, nth } from './store.fixture.ts';

const DESCRIPTION = { get: { method: 'GET', url: '/{?page}' } } as const;

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

function resource(): RestResource {
  return new Resource(DESCRIPTION, { connection: page.connection });
}

describe('a store with parameters', () => {
  test('follows their query alone, whatever resource asks it', async () => {
    const photo = new Resource(DESCRIPTION, { connection: page.connection });
    const store = new RestStore(photo, 'get', { params: { page: 1 } });
    await page.answer(photo.get({ page: 2 }), answered('two'));
    expect(store.model).toBeNull();
    await page.answer(photo.get({ page: 1 }), answered('one'));
    expect(store.model).toBe('one');
    await page.answer(resource().invoke('get', { page: 1 }), answered('one again'));
    await page.answer(photo.get({ page: 2 }), answered('two'));
    expect(store.model).toBe('one again');
  });

  test('shows at once what is known, and asks for nothing', async () => {
    const photo = new Resource(DESCRIPTION, { connection: page.connection });
    await page.answer(photo.get({ page: 1 }), answered('one'));
    const store = new RestStore(photo, 'get', { params: { page: 1 } });
    expect([store.model, store.status.servedFrom]).toEqual(['one', 'network']);
    await flush();
    expect(page.host.life.submitted.length).toBe(1);
  });

  test('keeps its model through a failure, and tells of that', async () => {
    const photo = new Resource(DESCRIPTION, { connection: page.connection });
    const store = new RestStore(photo, 'get', {
      params: { page: 1 },
      manipulateData: (answer) => `made of ${String(answer)}`,
    });
    await page.answer(photo.get({ page: 2 }), refused(500));
    expect(store.status.error).toBeNull();
    await page.answer(photo.get({ page: 1 }), answered('one'));
    await page.answer(photo.get({ page: 1 }), refused(500));
    expect([store.model, store.status.error?.code]).toEqual(['made of one', 'http']);
  });

  test('gets whole answers though another store of the action is content with parts', async () => {
    const photo = new Resource(DESCRIPTION, { connection: page.connection });
    new RestStore(photo, 'get').window(0, 10);
    const loop = photo.poll('get', { page: 1 });
    const wantsBody = (): unknown => page.host.life.told('interest').at(-1)?.interest.body;
    await flush();
    expect(page.host.life.told('declare').at(-1)?.declaration.interest.body).toBe(false);
    const store = new RestStore(photo, 'get', { params: { page: 1 } });
    await flush();
    expect(wantsBody()).toBeUndefined();
    store.dispose();
    loop.stop();
  });

  test('has the time at which its own loop asks next, and hears nothing of other loops', async () => {
    const photo = new Resource(DESCRIPTION, { connection: page.connection });
    const store = new RestStore(photo, 'get', { params: { page: 1 } });
    const told: (number | null)[] = [];
    store.addEventListener('changeStatus', () => told.push(store.status.nextPollAt));
    const other = photo.poll('get', { page: 2 }, { interval: 1_000, immediately: false });
    expect([store.status.nextPollAt, told]).toEqual([null, []]);
    const now = Date.now();
    const own = photo.poll('get', { page: 1 }, { interval: 5_000, immediately: false });
    expect([store.status.nextPollAt, told]).toEqual([now + 5_000, [now + 5_000]]);
    other.stop();
    own.stop();
    expect([store.status.nextPollAt, told]).toEqual([null, [now + 5_000, null]]);
  });

  test('ends with dispose', async () => {
    const photo = new Resource(DESCRIPTION, { connection: page.connection });
    const store = new RestStore(photo, 'get', { params: { page: 1 } });
    await page.answer(photo.get({ page: 1 }), answered('one'));
    store.dispose();
    await page.answer(photo.get({ page: 1 }), answered('two'));
    expect(store.model).toBe('one');
  });

  test('says at once what is wrong with them', () => {
    const photo = new Resource(
      { get: { method: 'GET', url: '/{id}', check: { id: /^\d+$/ } } },
      { connection: page.connection },
    );
    expect(() => new RestStore(photo, 'get', { params: { id: 'a' } })).toThrow("Parameter 'id' is invalid");
  });
});

describe('when the page goes on with another identity', () => {
  test.each([
    ['of an action', undefined],
    ['of one query', { params: {} }],
  ])(
    'a store %s has no model, nor its windows rows, and what is late changes nothing',
    async (_of, delegate) => {
      const stage = new StoreStage(page, delegate);
      await stage.get([{ id: 1 }], nth(1));
      const shown = stage.store.window(0, 10);
      expect(shown.model).toEqual([{ id: 1 }]);
      const late = stage.photo.get();
      await flush();
      Connection.linkOf(page.connection).records.empty();
      expect([stage.store.model, shown.model, shown.total]).toEqual([null, null, null]);
      expect(stage.store.status).toMatchObject({ servedFrom: null, age: null, error: null });
      expect(stage.changes.at(-1)).toEqual([[{ id: 1 }], null]);
      await page.answer(late, answered([{ id: 2 }], nth(2)));
      expect([stage.store.model, shown.model]).toEqual([null, null]);
    },
  );
});
