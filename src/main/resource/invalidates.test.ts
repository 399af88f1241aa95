import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakePage } from '../page.fixture.ts';
import { flush } from '../session/host.fixture.ts';
import { RestResource } from './rest-resource.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => page.leave());

const GET = { method: 'GET', url: '/photo/{id}' };
const LIST = { method: 'GET', url: '/photos{?page}' };

test('a call says which templates its success makes stale, whichever was declared first', async () => {
  const { connection } = page;
  const put = { method: 'PUT', url: '/photo/{id}', invalidates: ['list', 'get'] };
  const photo = new RestResource({ put, list: LIST, get: GET }, { connection });
  photo.invoke('put', { id: 1 }, {});
  photo.invoke('list');
  await flush();
  const [write, read] = page.host.life.submitted.map(({ invocation }) => invocation.policy);
  expect(write?.invalidates).toEqual(['/photos{?page}', '/photo/{id}']);
  expect(read).not.toHaveProperty('invalidates');
  expect(Object.keys(photo)).toEqual(['put', 'list', 'get']);
});

test('two actions may make each other stale', () => {
  const one = { method: 'PUT', url: '/one', invalidates: ['other'] };
  const other = { method: 'PUT', url: '/other', invalidates: ['one'] };
  expect(() => new RestResource({ one, other }, { connection: page.connection })).not.toThrow();
});

describe('what is wrong throws where it is declared', () => {
  test('an action that is unknown', () => {
    const { connection } = page;
    const put = { method: 'PUT', url: '/photo/{id}', invalidates: ['lists'] };
    expect(() => new RestResource({ put, list: LIST }, { connection })).toThrow('No route for action lists');
    const photo = new RestResource({}, { connection });
    expect(() => photo.map('put', 'PUT', '/photo', undefined, { invalidates: ['list'] })).toThrow(
      'No route for action list',
    );
    expect(() => photo.invoke('put')).toThrow('No route for action put');
  });

  test.each<[string, unknown, string]>([
    ['a name alone', 'list', 'must be a list of names of actions, got a string'],
    ['no name', [''], 'must be a list of names of actions'],
    ['a number', [1], 'must be a list of names of actions'],
  ])('%s', (_, invalidates, message) => {
    const put = { method: 'PUT', url: '/photo', invalidates };
    const make = (): unknown =>
      new RestResource({ list: LIST, put: wrong(put) }, { connection: page.connection });
    expect(make).toThrow(message);
    expect(make).toThrow(TypeError);
  });
});

/** What the compiler would not take. */
function wrong(value: unknown): never;
function wrong(value: unknown): unknown {
  return value;
}
