import { expect, test } from 'vitest';
import { FakeLink, quietCore } from './link.fixture.ts';

/** "The same action and params on one resource replaces the earlier loop" (behaviour.md). */
test('a loop of the same parameters, named in another order, replaces the earlier one', () => {
  const link = new FakeLink();
  const core = quietCore(link);
  core.actions.map('list', 'GET', '/photos{?page,size}', undefined, {});
  core.poll('list', { page: 1, size: 10 }, {});
  core.poll('list', { size: 10, page: 1 }, {});
  const [one, other] = link.loops.map(({ declaration }) => declaration);
  expect(other?.replaces).toBe(one?.loop);
});
