import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
import type { ActionMethod } from './declared-actions.ts';
import type { Notice } from './notice.ts';
import { PlainResource } from './plain-resource.ts';

const DESCRIPTION = {
  get: { method: 'GET', url: '/photo/{id}', check: { id: PlainResource.REQUIRED } },
} as const;

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

function make(): PlainResource & { readonly get: ActionMethod<{ id: number }> } {
  return new PlainResource(DESCRIPTION, { connection: page.connection, name: 'photo' });
}

describe('handlers', () => {
  test('get plain objects: those of an action first, then those of all', async () => {
    const photo = make();
    const told: unknown[] = [];
    const take = (notice: Notice): unknown => told.push(notice);
    photo.on('success', take);
    photo.addListener('getSuccess', take);
    const id = photo.get({ id: 1 });
    await page.answer(id, answered('a'));
    expect(told).toHaveLength(2);
    expect(told[0]).toBe(told[1]);
    expect(Object.getPrototypeOf(told[0])).toBe(Object.prototype);
    expect(told[0]).toMatchObject({ id, action: 'get', response: 'a', request: { method: 'GET' } });
  });

  test('are told of failures', async () => {
    const photo = make();
    const told: unknown[] = [];
    photo.on('getError', ({ phase, error, status }) => told.push(phase, error?.code, status));
    await page.answer(photo.get({ id: 1 }), refused(404));
    expect(told).toEqual(['statusError', 'http', 404]);
  });

  test('are called with their context, once where that is wished, and no more when they are taken off', async () => {
    const photo = make();
    const told: unknown[] = [];
    const context = { name: 'context' };
    function take(this: unknown, { response }: Notice): void {
      told.push([this, response]);
    }
    const remove = photo.on('success', take, context);
    photo.once('success', ({ response }) => told.push(['once', response]));
    photo.addListener('success', take);
    await page.answer(photo.get({ id: 1 }), answered('a'));
    remove();
    photo.removeListener('success', take);
    const gone = photo.once('success', take);
    gone();
    await page.answer(photo.get({ id: 1 }), answered('b'));
    expect(told).toEqual([
      [context, 'a'],
      ['once', 'a'],
      [undefined, 'a'],
    ]);
  });

  test('are functions', () => {
    const handler: () => void = JSON.parse('null');
    expect(() => make().on('success', handler)).toThrow(
      new TypeError("The handler of 'success' must be a function"),
    );
  });

  test('decide what the worker is told to tell, as they come and go', async () => {
    const photo = make();
    const remove = photo.on('getSent', () => {});
    photo.poll('get', { id: 1 });
    await flush();
    remove();
    await flush();
    expect(page.host.life.told('declare')[0]?.declaration.interest.sent).toBe(true);
    expect(page.host.life.told('interest').map(({ interest }) => interest.sent)).toEqual([false]);
  });
});

describe('polling is stopped and resumed by action', () => {
  test('in the classic order, whose first request goes after one interval', async () => {
    const photo = make();
    photo.poll('get', 700, { id: 1 });
    await flush();
    photo.stopPollByAction('get');
    await flush();
    photo.restartPollByAction('get');
    await flush();
    const [first, second, ...more] = page.host.life.told('declare').map(({ declaration }) => declaration);
    expect(first).toMatchObject({ pace: { kind: 'poll', interval: 700 }, firstIn: 700 });
    expect(second).toMatchObject({ loop: first?.loop, pace: { kind: 'poll', interval: 700 }, firstIn: 0 });
    expect(more).toEqual([]);
    expect(page.host.life.told('stop').map(({ loop }) => loop)).toEqual([first?.loop]);
  });

  test('of an action that there is', () => {
    expect(() => make().stopPollByAction('put')).toThrow('No route for action put');
    expect(() => make().restartPollByAction('put')).toThrow('No route for action put');
    expect(() => make().restartPollByAction('get')).not.toThrow();
  });
});

test('all else is as with any resource', async () => {
  const photo = make();
  const named = new PlainResource();
  expect(() => photo.invoke('get')).toThrow("Missing parameter 'id'");
  expect(() => new PlainResource({ on: { method: 'PUT', url: '/lamp' } })).toThrow(
    'Method with name of action (on) already exists',
  );
  expect(() => named.map('stopPollByAction', 'GET', '/')).toThrow(/already exists/);
  photo.setBaseUrl('/api');
  const end = photo.configureRequest((request) => request.setRequestHeader('X-Token', '1'));
  const id = photo.get({ id: 1 });
  end();
  const again = photo.refresh('get');
  photo.longPoll('get', { id: 2 });
  await flush();
  const [sent, resent] = page.host.life.submitted;
  expect(sent?.invocation).toMatchObject({ baseUrl: '/api', action: 'photo.get' });
  expect(sent?.invocation.headers).toContainEqual(['X-Token', '1']);
  expect([resent?.id, resent?.invocation.headers.length]).toEqual([again, 1]);
  expect(page.host.life.told('declare')).toMatchObject([{ declaration: { pace: { kind: 'long-poll' } } }]);
  photo.abort(id);
  await expect(photo.result(id)).rejects.toMatchObject({ code: 'aborted' });
  await page.answer(Number(again), answered('a'));
  expect(await photo.result(Number(again))).toBe('a');
  photo.dispose();
  expect(() => photo.get({ id: 1 })).toThrow('This resource has been disposed');
});

test('described actions take what their template names', () => {
  const photo = new PlainResource(DESCRIPTION);
  const uses = [
    (): number => photo.get({ id: 1 }),
    // @ts-expect-error `id` is required
    (): number => photo.get(),
    // @ts-expect-error there is no such action
    (): number => photo.put(),
  ];
  expect(uses).toHaveLength(3);
});
