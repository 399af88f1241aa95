import { describe, expect, test } from 'vitest';
import type { WhileHidden } from '../../shared/pace.ts';
import { Stage } from '../loops/stage.fixture.ts';
import type { Alone } from '../loops/stage.fixture.ts';

/** A poll every second whose page may be hidden. */
class Running extends Stage {
  readonly loop: Alone;

  constructor(hidden: WhileHidden, startsHidden = false) {
    super();
    const pace = { kind: 'poll', interval: 1_000, hidden } as const;
    this.loop = this.alone({ pace }, startsHidden);
  }
}

describe('a poll whose page is hidden', () => {
  test('goes on as always where it is to continue', async () => {
    const running = new Running('continue');
    running.loop.setHidden(true);
    await running.clock.advance(3_500);
    expect(running.times).toEqual([0, 1_000, 2_000, 3_000]);
  });

  test('asks once a minute where it is to be slow', async () => {
    const running = new Running('slow');
    await running.clock.advance(1_500);
    running.loop.setHidden(true);
    await running.clock.advance(180_000);
    expect(running.times).toEqual([0, 1_000, 61_000, 121_000, 181_000]);
  });

  test('is back at its own pace when the page is shown, at once where that is overdue', async () => {
    const running = new Running('slow');
    running.loop.setHidden(true);
    await running.clock.advance(30_500);
    running.loop.setHidden(false);
    await running.clock.advance(2_000);
    expect(running.times).toEqual([0, 30_500, 31_000, 32_000]);
  });

  test('does not ask where it is to pause, and says so; it asks at once when the page is shown', async () => {
    const running = new Running('pause');
    await running.clock.advance(500);
    running.loop.setHidden(true);
    await running.clock.advance(600_000);
    expect(running.times).toEqual([0]);
    expect(running.loop.loop.inspect()).toMatchObject({ state: 'waiting', nextDueAt: null });
    running.loop.setHidden(false);
    await running.clock.advance(0);
    expect(running.times).toEqual([0, 600_500]);
  });

  test('that starts hidden asks its first question unless it is to pause', async () => {
    const [slow, paused] = [new Running('slow', true), new Running('pause', true)];
    await slow.clock.advance(500);
    await paused.clock.advance(500);
    expect([slow.times, paused.times]).toEqual([[0], []]);
  });
});
