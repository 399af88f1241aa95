import { expect, test } from 'vitest';
import type { Outcome } from '../../shared/outcome.ts';
import { answered } from '../contracts/outcome.fixture.ts';
import { Deferred } from '../platform/waiting.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { BODY, diskOf, drainerOn } from './drainer.fixture.ts';
import { write as waiting } from './write.fixture.ts';

test('a write whose data could not be read at once goes to the version that was made meanwhile', async () => {
  const url = 'https://example.com/photos/7';
  const put = { ...waiting(1).invocation, method: 'PUT' };
  const first = { ...waiting(1), lane: 'a', matches: '"v1"', invocation: { ...put } };
  const second = { ...waiting(2), lane: 'b', matches: '"v1"', invocation: { ...put } };
  const late = new Deferred();
  let asked = 0;
  const disk = diskOf([first, second], {
    body: async ({ place }) => {
      if (place !== 2) return { kind: 'found', value: BODY };
      asked += 1;
      if (asked > 1) return { kind: 'found', value: BODY };
      await late.promise;
      return { kind: 'unknown', error: new Error('late') };
    },
  });
  const sent: unknown[] = [];
  const { clock } = drainerOn(
    disk.store,
    async (write): Promise<Outcome> => {
      sent.push([write.place, write.matches]);
      return answered({
        answer: { status: 200, headers: [['etag', '"v2"']], body: { kind: 'value', value: null } },
      });
    },
    { urlOf: () => url },
  );
  for (let n = 0; n < 10; n += 1) await settle();
  expect(disk.writes.get(2)?.matches).toBe('"v2"');
  late.resolve();
  for (let n = 0; n < 10; n += 1) await settle();
  await clock.advance(5_000);
  await settle();
  expect(sent).toEqual([
    [1, '"v1"'],
    [2, '"v2"'],
  ]);
});
