import type { WriteReport } from '../../shared/outbox.ts';

/** A write that waits, as its page is told of it. */
export const WRITE: WriteReport = {
  entry: 'entry-1',
  key: 'key-1',
  resource: 'photos',
  action: 'create',
  lane: '/photos',
  state: 'queued',
  params: [['album', '7']],
  headers: [['Content-Type', 'application/json']],
  body: { kind: 'text', text: '{"title":"Dusk"}' },
  attempts: 0,
  failure: null,
  queuedAt: 1_000,
  temporaryId: null,
  givenId: null,
  answer: null,
  url: null,
  place: 1,
  version: 0,
  endedAt: null,
  isShown: false,
};
