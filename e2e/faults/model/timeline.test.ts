import { expect, test } from 'vitest';
import { Timeline } from './timeline.ts';
import type { Owner } from './timeline.ts';

test('what waited for a frozen owner runs in its order when it is thawed', async () => {
  const { timeline, owner, done } = frozen();
  timeline.schedule(owner, 20, () => done.push('second'));
  timeline.schedule(owner, 10, () => done.push('first'));
  await timeline.pass(100);
  expect(done).toEqual([]);
  thaw(timeline, owner);
  await timeline.pass(0);
  expect(done).toEqual(['first', 'second']);
});

test('a thawed owner can cancel what waited for it', async () => {
  const { timeline, owner, done } = frozen();
  timeline.schedule(owner, 10, () => cancel());
  const cancel = timeline.schedule(owner, 20, () => done.push('cancelled'));
  await timeline.pass(100);
  thaw(timeline, owner);
  await timeline.pass(100);
  expect(done).toEqual([]);
});

interface Frozen {
  readonly timeline: Timeline;
  readonly owner: { state: Owner['state'] };
  readonly done: string[];
}

function frozen(): Frozen {
  return { timeline: new Timeline(), owner: { state: 'frozen' }, done: [] };
}

function thaw(timeline: Timeline, owner: Frozen['owner']): void {
  owner.state = 'running';
  timeline.thaw(owner);
}
