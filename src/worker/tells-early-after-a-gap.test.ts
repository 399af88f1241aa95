import { expect, test } from 'vitest';
import { LIMITS } from '../shared/limits.ts';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, until } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

const ROWS = Array.from({ length: Math.ceil((LIMITS.chunkSize * 5.5) / 1_000) }, (_, id) => ({
  id,
  text: 'x'.repeat(980),
}));

test.each(['GET', 'POST'])(
  'a page that has missed something while the answer to its %s is read is told all its rows again',
  async (method) => {
    const system = new FakeSystem();
    system.grant();
    system.serve = () =>
      new Response(JSON.stringify(ROWS), { headers: { 'Content-Type': 'application/json' } });
    // The worker reads the answer bit by bit.
    const pauses: (() => void)[] = [];
    Object.assign(system, { pause: () => new Promise<void>((resolve) => pauses.push(resolve)) });
    const house = houseOf(system);
    const tab = new Tab((source, envelope) => house.receive(source, envelope));
    const { clock } = system;
    // Each look at the clock takes as long as a slice of time lasts.
    let ahead = 0;
    const now = clock.now.bind(clock);
    clock.now = () => now() + (ahead += 4);
    tab.meet();
    void tab.submitAll([submission(1, { method })]);
    const chunks = (): number[] =>
      tab.deliveries.flatMap((each) => (each.kind === 'chunk' ? each.index : []));
    await until(() => {
      if (!chunks().includes(1)) pauses.shift()?.();
      return chunks().includes(1);
    });
    expect(tab.settled).toEqual([]);
    // A page that finds a gap forgets the rows that it has, and says that it has missed something (session/inbox.ts).
    const before = tab.deliveries.length;
    tab.wish = { resync: true };
    const welcome = await tab.greet();
    expect(welcome).toMatchObject({ kind: 'welcome', taken: [1] });
    await until(() => {
      pauses.shift()?.();
      return tab.settled.length === 1;
    });
    const since = tab.deliveries.slice(before).filter(({ kind }) => kind === 'chunk' || kind === 'settled');
    const indexes = since.flatMap((each) => (each.kind === 'chunk' ? each.index : []));
    expect(indexes.slice(indexes.lastIndexOf(0))).toEqual([0, 1, 2, 3, 4, 5]);
  },
);
