import { expect, test } from 'vitest';
import { invocation } from './cache/invocation.fixture.ts';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

/** A worker whose server answers `/deep` with JSON of so many levels, and all else as ever. */
function tabOf(levels: number): Tab {
  const system = new FakeSystem();
  system.grant();
  const text = '['.repeat(levels) + ']'.repeat(levels);
  system.serve = ({ url }) =>
    url.includes('deep')
      ? new Response(text, { headers: { 'Content-Type': 'application/json' } })
      : json({ ok: true });
  const house = houseOf(system);
  return new Tab((source, envelope) => house.receive(source, envelope));
}

function said(tab: Tab, kind: 'settled' | 'tick'): string[] {
  return tab.deliveries.flatMap((each) => {
    if (each.kind !== kind) return [];
    return each.outcome.kind === 'failed' ? each.outcome.failure.code : each.outcome.answer.body.kind;
  });
}

test.each([
  [1_000, 'value'],
  [30_000, 'parse'],
  [200_000, 'json'],
])('a call that is answered with %i levels is told so (%s), as is one beside it', async (levels, told) => {
  const tab = tabOf(levels);
  tab.meet();
  await tab.submitAll([submission(1, { template: '/deep' }), submission(2, { template: '/other' })]);
  await until(() => tab.settled.length === 2);
  expect(said(tab, 'settled').toSorted()).toEqual([told, 'value'].toSorted());
});

test.each([
  [800, 'value'],
  [1_020, 'parse'],
  [30_000, 'json'],
])('a loop that is answered with %i levels tells of it (%s)', async (levels, told) => {
  const tab = tabOf(levels);
  await tab.declare({ invocation: invocation({ template: '/deep' }) });
  await until(() => said(tab, 'tick').length > 0);
  expect(said(tab, 'tick')).toEqual([told]);
});
