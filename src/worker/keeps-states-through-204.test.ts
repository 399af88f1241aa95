import { expect, test } from 'vitest';
import { headerValue } from '../shared/header.ts';
import type { LoopDeclaration } from '../shared/protocol.ts';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { Tab } from './tab.fixture.ts';

/** A state that is polled with a cursor: its server says 204 where nothing is new since then. */
const FOLLOWS: Partial<LoopDeclaration> = {
  pace: every(1_000),
  cursor: {
    kind: 'state',
    from: { kind: 'header', name: 'X-Index' },
    plus: 0,
    to: { kind: 'query', name: 'index' },
    initial: null,
    catchUp: null,
  },
};

function told({ deliveries }: Tab): unknown[] {
  return deliveries.flatMap((each) => {
    if (each.kind !== 'tick') return [];
    if (each.outcome.kind === 'failed') return [each.outcome.failure.code];
    const { status, headers, body } = each.outcome.answer;
    return [[status, headerValue(headers, 'x-index'), body.kind === 'value' ? body.value : body.kind]];
  });
}

test('a page that joins is told the state, though its server has said since that nothing is new', async () => {
  const system = new FakeSystem();
  system.grant();
  system.serve = ({ url }) =>
    url.includes('index=1') ? new Response(null, { status: 204 }) : json(['state'], { 'X-Index': '1' });
  const house = houseOf(system);
  const [one, other] = [1, 2].map(
    (nth) =>
      new Tab((source, envelope) => house.receive(source, envelope), `client ${nth}`, `session ${nth}`),
  );
  if (!one || !other) throw new Error();
  await one.declare(FOLLOWS);
  await until(() => told(one).length === 1);
  await system.clock.advance(1_000);
  await until(() => told(one).length === 2);
  expect(told(one)[0]).toEqual([200, '1', ['state']]);
  await other.declare({ ...FOLLOWS, firstIn: 500 });
  await until(() => told(other).length > 0);
  for (let turn = 0; turn < 5; turn += 1) await settle();
  expect(told(other)[0]).toEqual([200, '1', ['state']]);
});

test('offline, the state is what is told', async () => {
  const system = new FakeSystem();
  system.grant();
  system.serve = ({ url }) =>
    url.includes('index=1') ? new Response(null, { status: 204 }) : json(['state'], { 'X-Index': '1' });
  const house = houseOf(system);
  const one = new Tab((source, envelope) => house.receive(source, envelope));
  await one.declare(FOLLOWS);
  await until(() => told(one).length === 1);
  await system.clock.advance(1_000);
  await until(() => told(one).length === 2);
  system.online = false;
  system.serve = () => {
    throw new TypeError('offline');
  };
  await system.clock.advance(1_000);
  await until(() => told(one).length === 3);
  expect(told(one)[2]).toEqual([200, '1', ['state']]);
});
