import { afterEach, beforeEach, expect, test } from 'vitest';
import { headerValue } from '../../shared/header.ts';
import { EngineStage } from '../../worker/engine/engine.fixture.ts';
import { json } from '../../worker/platform/system.fixture.ts';
import { FakePage } from '../page.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { StoreStage } from './store.fixture.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

test.each([
  ['Accept-Language', ['de', 'en', 'de']],
  ['Authorization', ['ann', 'bob', 'ann']],
])('a store follows the newest call, whose %s may be that of an earlier one', async (name, values) => {
  const engine = new EngineStage(({ headers }) => json({ title: headers.get(name) }, { Vary: name }));
  const stage = new StoreStage(page);
  for (const value of values) {
    const outcome = await engine.invoke({ headers: [[name, value]] });
    await page.answer(stage.photo.get(null, null, { headers: { [name]: value } }), outcome);
    expect(stage.store.model).toEqual({ title: value });
  }
});

test('so do its windows, whose rows the worker gives', async () => {
  const stage = new StoreStage(page);
  const revisions = { de: { lineage: '1-a', number: 1 }, en: { lineage: '2-b', number: 1 } };
  page.host.life.replyTo = async (command) => {
    if (command.kind !== 'part') return { kind: 'done' };
    const title = headerValue(command.invocation.headers, 'Accept-Language');
    const revision = title === 'de' ? revisions.de : revisions.en;
    return {
      kind: 'part',
      part: { kind: 'rows', revision, total: 1, text: JSON.stringify([{ id: 1, title }]) },
    };
  };
  const shown = stage.store.window(0, 10, { sorter: 'byTitle' });
  for (const title of ['de', 'en', 'de'] as const) {
    const outcome = answered([{ id: 1, title }], { revision: revisions[title] });
    await page.answer(stage.photo.get(null, null, { headers: { 'Accept-Language': title } }), outcome);
    expect(shown.model).toEqual([{ id: 1, title }]);
  }
});

test('headers in another order and case are the same', async () => {
  const stage = new StoreStage(page);
  const ways = [
    [
      ['X-One', '1'],
      ['X-Two', '2'],
    ],
    [
      ['x-two', '2'],
      ['x-one', '1'],
    ],
  ] as const;
  for (const [index, headers] of ways.entries()) {
    const outcome = answered(index, { revision: { lineage: '1-a', number: 2 - index } });
    await page.answer(stage.photo.get(null, null, { headers }), outcome);
  }
  expect(stage.store.model).toBe(0);
});
