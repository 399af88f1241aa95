import { expect, test } from 'vitest';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

test('a long-poll whose functions are still being loaded asks, and is told that they are late', async () => {
  const world = new FakeSystem();
  const house = houseOf(world, { functions: () => new Promise(() => {}) });
  const tab = new Tab((source, envelope) => house.receive(source, envelope));
  world.grant();
  world.serve = () => json([]);
  void tab.greet();
  await settle();
  const { invocation } = submission(1);
  const policy = { ...invocation.policy, transform: ['open'] };
  await tab.declare({ loop: 1, pace: { kind: 'long-poll' }, invocation: { ...invocation, policy } });
  for (let second = 0; second < 120; second += 1) {
    await world.clock.advance(1_000);
    await settle();
  }
  const codes = tab.deliveries.flatMap((each) =>
    each.kind === 'tick' && each.outcome.kind === 'failed' ? [each.outcome.failure.code] : [],
  );
  expect(codes).toContain('timeout');
});
