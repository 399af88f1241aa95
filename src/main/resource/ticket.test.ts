import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { declareAction } from './action.ts';
import type { DeclareOptions } from './action.ts';
import { brief, ticketOf } from './ticket.ts';
import type { Queueing } from './ticket.ts';

const QUEUED: DeclareOptions = { offline: 'queue' };

function queueing(template: string, options = QUEUED): Queueing {
  return {
    action: declareAction('put', 'PUT', template, {}, options),
    params: { id: 7 },
    data: null,
    headers: [],
    secretHeaders: [],
    baseUrl: '',
    documentUrl: 'https://page.example/app/',
    resource: 'photos',
  };
}

describe('the lane of a write', () => {
  test.each<[string, string]>([
    ['/photos', '/photos'],
    ['/photos/', '/photos'],
    ['/photos/{id}', '/photos'],
    ['/photos{/id}', '/photos'],
    ['/photos/{id}/tags/{tag}', '/photos'],
    ['/photos{?page}', '/photos'],
    ['{+url}', ''],
    ['https://api.example/{id}', 'https://api.example'],
  ])('of %s is %s', (template, lane) => {
    expect(ticketOf(queueing(template)).lane).toBe(lane);
  });

  test.each<[string, string]>([
    ['/api', '/photos/{id}'],
    ['/api', 'photos'],
    ['/api/', '/photos/{id=1}'],
    ['https://page.example/api', '/photos'],
    ['../api', '/photos/{id}'],
  ])('is one for all ways to declare its URL: %s and %s', (baseUrl, template) => {
    expect(ticketOf({ ...queueing(template), baseUrl }).lane).toBe('/api/photos');
  });

  test('is another one for another URL', () => {
    expect(ticketOf(queueing('/apiphotos')).lane).toBe('/apiphotos');
    expect(ticketOf({ ...queueing('/photos'), baseUrl: 'https://api.example' }).lane).toBe(
      'https://api.example/photos',
    );
  });

  test('is that of its action, as it is', () => {
    const own = queueing('/photos/{id}', { ...QUEUED, lane: ({ id }) => `photo ${JSON.stringify(id)}/` });
    expect(ticketOf(own).lane).toBe('photo 7/');
  });

  test('throws where its action gives a longer one than is stored', () => {
    const long = queueing('/photos', { ...QUEUED, lane: () => 'x'.repeat(LIMITS.outboxName + 1) });
    expect(() => ticketOf(long)).toThrow('must be a text of at most');
  });
});

describe('a write that creates something', () => {
  test('has a temporary id of its own each time, and says where the id stands', () => {
    const creating = queueing('/photos', { ...QUEUED, creates: '/id' });
    const [one, other] = [ticketOf(creating).creates, ticketOf(creating).creates];
    expect(one).toEqual({ temporaryId: expect.stringMatching(/^temporary-[\da-f]{32}$/), at: '/id' });
    expect(one?.temporaryId).not.toBe(other?.temporaryId);
    expect('creates' in ticketOf(queueing('/photos'))).toBe(false);
  });

  test.each<[DeclareOptions, string]>([
    [{ offline: 'queue', creates: 'id' }, "'creates' of 'put' must be a JSON Pointer such as /id"],
    [{ creates: '/id' }, "'put' has no temporary id, since it is not queued"],
  ])('throws with %j', (options, message) => {
    expect(() => queueing('/photos', options)).toThrow(message);
  });
});

test('names that are too long are cut', () => {
  const long = 'x'.repeat(LIMITS.outboxName + 1);
  const { lane } = ticketOf({ ...queueing('/photos'), baseUrl: `/${long}` });
  expect([brief(long), lane]).toEqual([long.slice(1), `/${long}`.slice(0, LIMITS.outboxName)]);
});
