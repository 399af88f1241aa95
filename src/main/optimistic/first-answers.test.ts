import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import type { Query } from '../queries/query.ts';
import { flush } from '../session/host.fixture.ts';
import { done, OptimisticPage } from './optimistic-page.fixture.ts';

const ROWS = [
  { id: 1, title: 'Dawn' },
  { id: 2, title: 'Noon' },
];

const CREATE: WriteReport = {
  ...WRITE,
  entry: 'of-another-tab',
  isShown: true,
  temporaryId: 'temporary-1',
  place: 5,
};

let page: OptimisticPage;
let query: Query;

beforeEach(async () => {
  page = new OptimisticPage();
  query = page.resource.query('list', {});
  query.subscribe(() => {});
  await flush();
});

afterEach(() => page.leave());

describe('the first answer of a list', () => {
  // Here it is known by now: two rows have the same id, and one is enough.
  test('does not show twice what has an id that is in the list', async () => {
    await page.tell({ ...CREATE, state: 'sending', attempts: 1 });
    await page.list([...ROWS, { id: 7, title: 'Dusk' }], 5);
    await page.tell(done(CREATE, page.at(10), 7));
    expect(query.snapshot.data).toEqual([...ROWS, { id: 7, title: 'Dusk' }]);
  });
});
