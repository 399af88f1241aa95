import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { answered, refused } from '../session/invocation.fixture.ts';
import { RestEvent } from './event.ts';
import { PlainResource } from './plain-resource.ts';
import { Resource } from './resource.ts';
import type { ResourceOf } from './resource.ts';
import type { RestResource } from './rest-resource.ts';

const DESCRIPTION = { get: { method: 'GET', url: '/photo/{id}' } } as const;

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

function make(): ResourceOf<typeof DESCRIPTION> {
  return new Resource(DESCRIPTION, { connection: page.connection });
}

describe('events', () => {
  test('of an action come before those of all', async () => {
    const photo = make();
    const seen: unknown[] = [];
    const note = ({ type, action, id, response }: RestEvent): unknown =>
      seen.push([type, action, id, response]);
    const named: RestResource = photo;
    for (const type of ['success', 'getSuccess', 'putSuccess', 'started', 'getStarted'])
      named.addListener(type, note);
    const id = photo.get({ id: 1 });
    expect(seen).toEqual([]);
    await page.answer(id, answered('a'));
    expect(seen).toEqual([
      ['getStarted', 'get', id, null],
      ['started', 'get', id, null],
      ['getSuccess', 'get', id, 'a'],
      ['success', 'get', id, 'a'],
    ]);
  });

  test('of a failure are errors, and the result rejects with the same', async () => {
    const photo = make();
    const seen: unknown[] = [];
    photo.addListener('getError', (event) => seen.push(event.error, event.getPhase(), event.status));
    const id = photo.get({ id: 1 });
    const error = photo.result(id).catch((reason: unknown) => reason);
    await page.answer(id, refused(404));
    expect(seen).toEqual([await error, 'statusError', 404]);
  });

  test('have their classic accessors', async () => {
    const photo = make();
    let event: RestEvent | null = null;
    let accessed: unknown[] = [];
    photo.addListener('success', (each) => {
      event = each;
      accessed = [each.getAction(), each.getId(), each.getData(), each.getPhase(), each.getRequest().method];
    });
    const id = photo.get({ id: 1 });
    await page.answer(id, answered('a'));
    expect(event).toBeInstanceOf(RestEvent);
    expect(event).toMatchObject({ servedFrom: 'network', loaded: 0, total: null, lengthComputable: false });
    expect(accessed).toEqual(['get', id, 'a', 'success', 'GET']);
  });

  test('are heard until the listener is removed', async () => {
    const photo = make();
    let heard = 0;
    const listener = (): void => void (heard += 1);
    const remove = photo.addListener('success', listener);
    await page.answer(photo.get(), answered());
    remove();
    await page.answer(photo.get(), answered());
    photo.addListener('success', listener);
    photo.removeListener('success', listener);
    await page.answer(photo.get(), answered());
    expect(heard).toBe(1);
  });

  test('reach listeners for one event that add themselves again', async () => {
    const photo = make();
    let heard = 0;
    const again = (): void => {
      heard += 1;
      photo.addEventListener('success', again, { once: true });
    };
    photo.addEventListener('success', again, { once: true });
    for (let round = 0; round < 3; round += 1) await page.answer(photo.get(), answered());
    expect(heard).toBe(3);
  });

  test('reach a listener for one event that another kept from the first', async () => {
    const photo = make();
    const seen: string[] = [];
    photo.addEventListener('success', (event) => event.stopImmediatePropagation(), { once: true });
    photo.addEventListener('success', () => void seen.push('heard'), { once: true });
    for (let round = 0; round < 3; round += 1) await page.answer(photo.get(), answered());
    expect(seen).toEqual(['heard']);
  });

  test('do not reach a listener for one event that was removed before it', async () => {
    const photo = make();
    const dispatched = vi.spyOn(photo, 'dispatchEvent');
    const listener = vi.fn<() => void>();
    photo.addEventListener('success', listener, { once: true });
    photo.removeEventListener('success', listener);
    expect(getEventListeners(photo, 'success')).toEqual([]);
    await page.answer(photo.get(), answered());
    expect(dispatched).not.toHaveBeenCalled();
  });

  test('are not made any more once nobody listens', async () => {
    const photo = make();
    const dispatched = vi.spyOn(photo, 'dispatchEvent');
    photo.addEventListener('success', () => {}, { once: true });
    for (let round = 0; round < 2; round += 1) await page.answer(photo.get(), answered());
    expect(dispatched).toHaveBeenCalledOnce();
  });
});

describe('what the worker is told to tell', () => {
  test.each([
    ['started', { started: true, sent: false, progress: false }],
    ['getSent', { started: false, sent: true, progress: false }],
    ['progress', { started: false, sent: false, progress: true }],
    ['putProgress', { started: false, sent: false, progress: false }],
    ['success', { started: false, sent: false, progress: false }],
  ])('follows what is listened for: %s', async (type, tell) => {
    const photo = make();
    const named: RestResource = photo;
    named.addListener(type, () => {});
    photo.get();
    await flush();
    expect(page.host.life.submitted[0]?.interest).toEqual(tell);
  });

  test('of a loop follows as listeners come and go', async () => {
    const photo = make();
    photo.poll('get', {});
    const remove = photo.addListener('getSent', () => {});
    remove();
    await flush();
    const told = page.host.life.told('interest').map(({ interest }) => interest.sent);
    expect([page.host.life.told('declare').length, told.at(-1) ?? false]).toEqual([1, false]);
    const before = told.length;
    const tells = (): boolean[] =>
      page.host.life
        .told('interest')
        .slice(before)
        .map(({ interest }) => interest.sent);
    photo.addListener('sent', () => {});
    photo.addListener('getSent', () => {});
    const again = photo.addListener('success', () => {});
    again();
    await flush();
    expect(tells()).toEqual([true]);
  });
});

describe('a poll', () => {
  test.each<[string, (photo: RestResource) => void, number, number]>([
    ['by options', (photo) => photo.poll('get', { id: 1 }, { interval: 700 }), 700, 0],
    ['by default', (photo) => photo.poll('get'), 5_000, 0],
    ['in the classic order', (photo) => photo.poll('get', 700, { id: 1 }), 700, 700],
    ['in the classic order, at once', (photo) => photo.poll('get', 700, { id: 1 }, true), 700, 0],
  ])('%s', async (_name, start, interval, firstIn) => {
    start(make());
    await flush();
    const [command] = page.host.life.told('declare');
    expect(command?.declaration).toMatchObject({ pace: { kind: 'poll', interval }, firstIn });
  });
});

test('mapping again replaces an action, and no member is ever replaced', async () => {
  const photo = make();
  photo.map('get', 'POST', '/photos');
  photo.get({ id: 1 }, { a: 1 });
  await flush();
  expect(page.host.life.submitted).toMatchObject([{ invocation: { method: 'POST', template: '/photos' } }]);
  expect(() => photo.map('poll', 'GET', '/')).toThrow('Method with name of action (poll) already exists');
  expect(() => new Resource({ toString: { method: 'GET', url: '/' } })).toThrow(/already exists/);
});

test.each([
  [[], 'an array'],
  ['x', 'a string'],
  [5, 'a number'],
  [true, 'a boolean'],
  [null, 'null'],
  [new Map(), 'a Map'],
])('a description that is %j throws', (description, what) => {
  for (const made of [Resource, PlainResource]) {
    expect(() => Reflect.construct(made, [description])).toThrow(
      new TypeError(`A resource is made with an object of its actions, got ${what}`),
    );
  }
});

test('a long-poll and a refresh go through the same door', async () => {
  const photo = make();
  photo.longPoll('get', { id: 1 });
  expect(photo.refresh('get')).toBeTypeOf('number');
  await flush();
  expect(page.host.life.told('declare')).toMatchObject([{ declaration: { pace: { kind: 'long-poll' } } }]);
  expect(page.host.life.submitted).toMatchObject([{ invocation: { params: [['id', '1']] } }]);
});
