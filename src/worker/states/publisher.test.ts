import { expect, test } from 'vitest';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import type { EarlyChunk, ReadOutcome } from '../contracts/read-body.ts';
import { newcomer, publisherTo } from './publisher.fixture.ts';
import { Subscribers } from './state-audience.ts';

/** Of all with this name a page that cannot keep up is told the newest; null where each is told. */
function nameOf(outcome: ReadOutcome, isCatchUp = false): string | null {
  const names: (string | null)[] = [];
  const telling = publisherTo({ tell: () => {}, publish: (_page, _make, { name }) => names.push(name) });
  const page = newcomer();
  if (isCatchUp) telling.catchUp(page, outcome);
  else telling.tick(page, outcome);
  return names[0] ?? null;
}

test('a page that has left, or is told another answer, gets no more rows of one that is being read', () => {
  const published: string[] = [];
  const publisher = publisherTo({ tell: () => {}, publish: (page) => published.push(page) });
  const page = newcomer();
  const subscribers = new Subscribers();
  subscribers.add(page);
  const bytes = new ArrayBuffer(1);
  const chunk = (index: number): EarlyChunk => ({ bytes, index, path: [], text: () => '[]' });
  const take = publisher.early(subscribers);
  take?.(chunk(0));
  subscribers.remove(page);
  take?.(chunk(1));
  expect(published).toEqual(['anna']);
  subscribers.add(page);
  page.has = { lineage: 'another', number: 1 };
  take?.(chunk(1));
  expect(published).toEqual(['anna']);
});

const REVISED = { revision: { lineage: 'a', number: 1 } };

test.each<[string, ReadOutcome, string | null]>([
  ['a state gives way to a newer one', answered(REVISED), 'state 1'],
  ['so does one that is not stored: it may be large', answered(), 'state 1'],
  ['an answer without content, which is no state, to another', answered({ status: 204 }), 'nothing 1'],
  ['so does a 304 for what is not stored', answered({ status: 304 }), 'nothing 1'],
  ['a failure does, to a newer failure', failed('network'), 'failure 1'],
  ['but not one that the page has brought about itself', failed('aborted'), null],
])('%s', (_what, outcome, name) => {
  expect(nameOf(outcome)).toBe(name);
});

test('what stands for all that was missed does not', () => {
  expect(nameOf(answered(REVISED), true)).toBeNull();
});
