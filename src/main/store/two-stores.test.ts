import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
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

/** A delegate that adds a word to a header. */
function add(word: string): RestStoreDelegate {
  return {
    configureRequest: (request) =>
      request.setRequestHeader('X-Way', `${request.getRequestHeader('X-Way') ?? ''}${word}`),
  };
}

describe('two stores of one action', () => {
  test('have models of their own, though a delegate changes its copy', async () => {
    const stage = new StoreStage(page, {
      manipulateData: (response) => Object.assign(Object(response), { rows: [] }),
    });
    const other = new RestStore(stage.photo, 'get');
    const third = new RestStore(stage.photo, 'get', { manipulateData: (response) => response });
    await stage.get({ rows: [1] }, nth(1));
    expect([stage.store.model, other.model, third.model]).toEqual([
      { rows: [] },
      { rows: [1] },
      { rows: [1] },
    ]);
    expect(third.model).not.toBe(other.model);
  });

  test('both have the answer, though the delegate of one throws', async () => {
    const thrown = catchThrown();
    const stage = new StoreStage(page, {
      manipulateData: () => {
        throw new Error('broken');
      },
    });
    const other = new RestStore(stage.photo, 'get');
    const heard: unknown[] = [];
    stage.photo.addListener('success', ({ response }) => heard.push(response));
    await stage.get('a');
    await reported(thrown);
    expect([stage.store.model, other.model, heard, thrown]).toEqual([
      null,
      'a',
      ['a'],
      [new Error('broken')],
    ]);
  });

  test('both configure its requests, in the order in which they were made', async () => {
    const stage = new StoreStage(page, add('a'));
    const other = new RestStore(stage.photo, 'get', add('b'));
    stage.photo.get();
    stage.store.dispose();
    stage.photo.get();
    other.dispose();
    stage.photo.get();
    await flush();
    const sent = page.host.life.submitted.map(({ invocation }) => new Map(invocation.headers).get('X-Way'));
    expect(sent).toEqual(['ab', 'b', undefined]);
  });

  test('one lives on where the other is disposed, also while both are told', async () => {
    const stage = new StoreStage(page);
    const other = new RestStore(stage.photo, 'get');
    const told: unknown[] = [];
    other.addEventListener('changeStatus', () => told.push(other.status.pendingWrites));
    stage.store.addEventListener('changeModel', () => stage.store.dispose());
    stage.photo.poll('get', {}, { interval: 5_000, immediately: false });
    await stage.get('a', nth(1));
    await stage.get('b', nth(2));
    stage.photo.put();
    expect([stage.store.model, other.model]).toEqual(['a', 'b']);
    expect(told).toEqual([0, 0, 1]);
    expect(other.status.nextPollAt).toBe(Date.now() + 5_000);
  });
});

describe('two stores of two actions', () => {
  test('follow and configure each its own, and share what is pending', async () => {
    const seen: string[] = [];
    const stage = new StoreStage(page, {
      configureRequest: (_, action) => void seen.push(`get by ${action}`),
    });
    const puts = new RestStore(stage.photo, 'put', {
      configureRequest: (_, action) => void seen.push(`put by ${action}`),
    });
    const id = stage.photo.put();
    expect([stage.store.status.pendingWrites, puts.status.pendingWrites]).toEqual([1, 1]);
    await page.answer(id, answered('put'));
    await stage.fail(refused(500));
    stage.photo.poll('get');
    expect(seen).toEqual(['put by put', 'get by get', 'get by get']);
    expect([stage.store.model, puts.model]).toEqual([null, 'put']);
    expect([stage.store.status.error?.code, puts.status.error]).toEqual(['http', null]);
    expect([stage.store.status.nextPollAt, puts.status.nextPollAt]).toEqual([Date.now(), null]);
  });

  test('a write is told once to the store that follows it, its model with it', async () => {
    const { photo } = new StoreStage(page);
    const puts = new RestStore(photo, 'put');
    const told: unknown[] = [];
    puts.addEventListener('changeStatus', () => told.push([puts.model, puts.status.pendingWrites]));
    await page.answer(photo.put(), answered('put'));
    expect(told).toEqual([
      [null, 1],
      ['put', 0],
    ]);
  });
});
