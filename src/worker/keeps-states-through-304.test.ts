import { expect, test } from 'vitest';
import { invocation } from './cache/invocation.fixture.ts';
import type { LoopDeclaration } from '../shared/protocol.ts';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, json, unreachable, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { Tab } from './tab.fixture.ts';

/** A state that is polled with its ETag as the cursor, by an app that names an origin for redirects. */
const FOLLOWS: Partial<LoopDeclaration> = {
  pace: every(1_000),
  invocation: invocation({ policy: { origins: ['https://cdn.example'] } }),
  cursor: {
    kind: 'state',
    from: { kind: 'etag' },
    plus: 0,
    to: { kind: 'if-none-match' },
    initial: null,
    catchUp: null,
  },
};

function told({ deliveries }: Tab): unknown[] {
  return deliveries.flatMap((each) => {
    if (each.kind !== 'tick') return [];
    if (each.outcome.kind === 'failed') return [each.outcome.failure.code];
    const { answer, stale, changed } = each.outcome;
    return [
      [
        answer.status,
        answer.body.kind === 'value' ? answer.body.value : answer.body.kind,
        { stale, changed },
      ],
    ];
  });
}

/** Says that the state is as it was, or what it is. */
const serve: FakeSystem['serve'] = ({ headers }) =>
  headers.get('if-none-match') === '"1"'
    ? new Response(null, { status: 304 })
    : json(['state'], { ETag: '"1"' });

test('one request that gets no answer does not cost the stored state', async () => {
  const system = new FakeSystem();
  system.grant();
  system.serve = serve;
  const house = houseOf(system);
  const one = new Tab((source, envelope) => house.receive(source, envelope));
  await one.declare(FOLLOWS);
  await until(() => told(one).length === 1);
  system.serve = unreachable;
  await system.clock.advance(1_000);
  await until(() => told(one).length === 2);
  system.serve = serve;
  for (let turn = 0; turn < 20; turn += 1) await settle();
  await system.clock.advance(5_000);
  await until(() => told(one).length >= 3);
  expect(told(one).slice(0, 3)).toEqual([
    [200, ['state'], { stale: false, changed: true }],
    [200, ['state'], { stale: true, changed: false }],
    [200, ['state'], { stale: false, changed: false }],
  ]);
});

test('a 304 to a poll of a state that may not be stored is told as no change', async () => {
  const system = new FakeSystem();
  system.grant();
  system.serve = ({ headers }) =>
    headers.get('if-none-match') === '"1"'
      ? new Response(null, { status: 304 })
      : json(['state'], { ETag: '"1"', 'Cache-Control': 'no-store' });
  const house = houseOf(system);
  const one = new Tab((source, envelope) => house.receive(source, envelope));
  await one.declare({ ...FOLLOWS, invocation: invocation() });
  await until(() => told(one).length === 1);
  await system.clock.advance(1_000);
  await until(() => told(one).length === 2);
  expect(told(one)[1]).toMatchObject({ 2: { stale: false, changed: false } });
});
