import { expect, test } from 'vitest';
import { answered, failed } from '../outcome.fixture.ts';
import type { ReadOutcome } from '../read-body.ts';
import { declaration } from './stage.fixture.ts';
import { subscriberOf } from './subscribers.ts';
import { Telling } from './telling.ts';

/** Whether a page that cannot keep up is told an outcome no more once there is a newer one. */
function gives(outcome: ReadOutcome, isCatchUp = false): boolean {
  const names: (string | null)[] = [];
  const telling = new Telling({
    tell: () => {},
    publish: (_page, _make, { name }) => names.push(name),
    url: null,
    isFeed: false,
    askedAt: () => 0,
    nextIn: () => 0,
    now: () => 0,
  });
  const page = subscriberOf('anna', declaration(), false);
  if (isCatchUp) telling.catchUp(page, outcome);
  else telling.tick(page, outcome);
  return names[0] !== null;
}

const REVISED = { revision: { line: 'a', n: 1 } };

test.each<[string, ReadOutcome, boolean]>([
  ['a state gives way to a newer one', answered(REVISED), true],
  ['so does one that is not stored: it may be large', answered(), true],
  ['an answer without content, which is no state, does not', answered({ status: 204 }), false],
  ['nor does a 304 for what is not stored', answered({ status: 304 }), false],
  ['a failure does, to a newer failure', failed('network'), true],
  ['but not one that the page has brought about itself', failed('aborted'), false],
])('%s', (_what, outcome, isGiven) => {
  expect(gives(outcome)).toBe(isGiven);
});

test('what stands for all that was missed does not', () => {
  expect(gives(answered(REVISED), true)).toBe(false);
});
