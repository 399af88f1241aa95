import { afterEach, beforeEach, expect, test } from 'vitest';
import { leftOut } from '../../shared/outbox.ts';
import type { WriteReport } from '../../shared/outbox.ts';
import { Resource } from '../resource/resource.ts';
import { TITLED } from '../resource/schema.fixture.ts';
import { DESCRIPTION, DONE, heardOf, QueueingPage } from './queueing-page.fixture.ts';

let page: QueueingPage;

beforeEach(() => {
  page = new QueueingPage();
});

afterEach(() => page.leave());

/** What a queued call with a schema tells, where this is the answer to its write, which is done. */
async function told(answer: WriteReport['answer']): Promise<unknown[]> {
  const description = { add: { ...DESCRIPTION.add, response: TITLED } } as const;
  const photos = new Resource(description, { connection: page.connection, name: 'photos' });
  const heard = heardOf(photos);
  const { write } = await page.queue(photos);
  await page.tell({ ...write, ...DONE, answer, endedAt: 1 });
  return heard.slice(2).map((each) => (Array.isArray(each) ? [each[0], each[2]] : each));
}

test.each<[string, WriteReport['answer']]>([
  ['whose body was not kept', { status: 201, headers: [], body: leftOut(70_000) }],
  ['of which nothing is known', null],
])('the answer to a write that is done %s is null, which no schema refuses', async (_what, answer) => {
  expect(await told(answer)).toEqual([['addSuccess', null]]);
});

test('an answer of null that was kept has to pass the schema', async () => {
  const body = { kind: 'value', value: null, size: 4 } as const;
  expect(await told({ status: 201, headers: [], body })).toEqual([['addError', 'schema']]);
});
