import type { OutboxEntry } from 'offstage';
import { describe, expect, test } from 'vitest';
import type { Photo } from '../photo.ts';
import {
  badgeOf,
  foremost,
  isOrphan,
  mayBeDone,
  nameOf,
  readWrite,
  reasonOf,
  summaryOf,
} from './waiting-write.ts';
import type { WaitingWrite } from './waiting-write.ts';

const QUIET = { online: true, behind: null, said: null };

const PHOTO: Photo = {
  id: 7,
  title: 'Dusk',
  description: '',
  palette: 'dusk',
  seed: 1,
  createdAt: '2026-01-01T00:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  version: 1,
  owner: 'mira',
};

function entryOf(more: Partial<OutboxEntry>): OutboxEntry {
  return {
    id: 'one',
    resource: 'photos',
    action: 'update',
    params: { id: 7 },
    data: { title: 'Dawn', description: 'Early', palette: 'dawn', seed: '3' },
    state: 'queued',
    attempts: 0,
    failure: null,
    queuedAt: 0,
    lane: 'photo 7',
    key: 'key',
    temporaryId: null,
    ...more,
  };
}

function writeOf(more: Partial<OutboxEntry> = {}): WaitingWrite {
  const write = readWrite(entryOf(more));
  if (!write) throw new Error('It is no change of a photo.');
  return write;
}

const http = (status: number) => ({ code: 'http', status, message: 'It failed', body: null }) as const;

describe('a write that waits', () => {
  test('names its photo, and has no fields where it deletes', () => {
    expect(writeOf()).toMatchObject({ kind: 'update', photo: 7, fields: { title: 'Dawn', seed: '3' } });
    const data = { title: 'New one', description: '', palette: 'dawn', seed: '12' };
    expect(writeOf({ action: 'create', params: {}, data, temporaryId: 'temporary-1' })).toMatchObject({
      kind: 'create',
      photo: 'temporary-1',
      fields: { title: 'New one', description: '', palette: 'dawn', seed: '12' },
    });
    expect(writeOf({ params: { id: 'temporary-1' } })).toMatchObject({ photo: 'temporary-1' });
    expect(writeOf({ action: 'remove', data: null })).toMatchObject({ kind: 'remove', fields: null });
    expect(readWrite(entryOf({ action: 'makeTrouble' }))).toBeNull();
  });

  test('is called by the title that the photo has, and by its own where that is not known', () => {
    expect(nameOf(writeOf(), PHOTO)).toBe('Edit of “Dusk”');
    expect(nameOf(writeOf(), null)).toBe('Edit of “Dawn”');
    expect(nameOf(writeOf({ action: 'remove', data: null }), null)).toBe('Delete “photo 7”');
    const remove = { action: 'remove', data: null, params: { id: 'temporary-1' } };
    expect(nameOf(writeOf(remove), null)).toBe('Delete “a new photo”');
  });

  test.for<[Partial<OutboxEntry>, Partial<typeof QUIET> | { behind: string } | { said: string }, string]>([
    [{}, {}, 'It is sent in a moment.'],
    [{}, { online: false }, 'It is sent by itself when the network is back.'],
    [{}, { behind: 'Edit of “Dusk”' }, 'Its turn comes after: Edit of “Dusk”.'],
    [{ state: 'sending' }, {}, 'It is on its way to the server.'],
    [
      { attempts: 2, failure: http(503) },
      {},
      'The server is in trouble (status 503). It is tried again by itself; 2 attempts so far.',
    ],
    [
      { attempts: 1, failure: { code: 'network', message: 'No answer' } },
      {},
      'The server could not be reached. It is tried again by itself; 1 attempt so far.',
    ],
    [
      { state: 'conflict', failure: http(412) },
      {},
      'Somebody else has changed this photo, too. Choose which version stays.',
    ],
    [
      { state: 'conflict', action: 'remove', data: null, failure: http(412) },
      {},
      'Somebody has changed this photo since you saw it. Delete it all the same?',
    ],
    [{ state: 'review', failure: http(400) }, { said: 'Too dark.' }, 'Too dark.'],
    [{ state: 'review', failure: http(400) }, {}, 'The server does not take it as it is (status 400).'],
    [
      { state: 'review', failure: http(404) },
      { said: 'There is no photo 7.' },
      'Somebody has deleted this photo. What you wrote can be added as a new one.',
    ],
    [
      { state: 'review', action: 'remove', data: null, failure: http(404) },
      {},
      'The photo is not on the server any more.',
    ],
  ])('%j, %j: it says why', ([entry, around, words]) => {
    expect(reasonOf(writeOf(entry), { ...QUIET, ...around })).toBe(words);
  });

  test('is an orphan only where an edit has lost its photo', () => {
    expect(isOrphan(writeOf({ state: 'review', failure: http(404) }))).toBe(true);
    expect(isOrphan(writeOf({ state: 'review', failure: http(400) }))).toBe(false);
    expect(isOrphan(writeOf({ failure: http(404) }))).toBe(false);
    expect(isOrphan(writeOf({ state: 'review', action: 'remove', failure: http(404) }))).toBe(false);
  });
});

test('of several the one that somebody has to decide about is shown', () => {
  const states = ['queued', 'sending', 'paused', 'review', 'conflict'] as const;
  for (const [rank, state] of states.entries()) {
    const some = states.slice(0, rank + 1).map((each) => writeOf({ state: each }));
    expect(foremost(some)?.entry.state).toBe(rank === 0 ? 'queued' : state);
  }
  expect(foremost([])).toBeNull();
  expect(badgeOf(writeOf())).toBe('Edit waits');
  expect(badgeOf(writeOf({ action: 'create' }))).toBe('New, waits');
  expect(badgeOf(writeOf({ action: 'remove' }))).toBe('Delete waits');
  expect(badgeOf(writeOf({ state: 'review' }))).toBe('Refused');
});

test('the summary counts what waits, and what waits for somebody', () => {
  expect(summaryOf([])).toBe('Nothing waits.');
  expect(summaryOf([writeOf()])).toBe('1 change waits.');
  const decisions = [writeOf(), writeOf({ state: 'review' }), writeOf({ state: 'conflict' })];
  expect(summaryOf(decisions)).toBe('3 changes wait, 2 for you.');
});

test.each<[boolean, string, Partial<OutboxEntry>]>([
  [false, 'was never sent', {}],
  [true, 'is on its way', { state: 'sending', attempts: 1 }],
  [true, 'was sent by a worker that has ended', { attempts: 1 }],
  [true, 'was not answered', { attempts: 1, failure: { code: 'network', message: 'no' } }],
  [false, 'could not be sent', { attempts: 1, failure: { code: 'offline', message: 'no' } }],
  [true, 'was sent before, perhaps', { attempts: 2, failure: { code: 'offline', message: 'no' } }],
  [true, 'has failed on the server', { attempts: 1, failure: http(500) }],
  [false, 'was put off', { attempts: 1, failure: http(503) }],
  [false, 'is in conflict', { state: 'conflict', attempts: 2, failure: http(412) }],
  [false, 'was refused', { state: 'review', attempts: 2, failure: http(422) }],
])('says %s to whether the server may have what %s', (expected, _case, more) => {
  expect(mayBeDone(writeOf(more))).toBe(expected);
});
