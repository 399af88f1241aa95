import { describe, expect, test } from 'vitest';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { following, said } from './feed.fixture.ts';
import { at, Feeds, numbers } from '../loops/feeds.fixture.ts';
import { Pruning } from './log-reader.ts';

/** Anna has all, and comes back to each life at once. */
async function live(feeds: Feeds, lives: number, milliseconds: number): Promise<void> {
  for (let life = 0; life < lives; life += 1) {
    feeds.join('anna', following(at(feeds.positionOf('anna'))));
    for (let passed = 0; passed < milliseconds; passed += 500) {
      await feeds.clock.advance(500);
      feeds.takeAll();
    }
    feeds.kill();
  }
}

/** An answer every half second. */
function busy(): Feeds {
  const feeds = new Feeds();
  feeds.reply = (nth) => ({ after: nth === 1 ? 100 : 500, outcome: said({ last: nth }) });
  return feeds;
}

async function kept(feeds: Feeds): Promise<number> {
  return (await feeds.stored.entries('key', 0, 2_000)).length;
}

describe('what is noted to go', () => {
  /** What was removed or noted: up to which number, after how many milliseconds. */
  class Noted {
    readonly clock: VirtualClock = new VirtualClock();
    readonly notes: number[][] = [];
    taken = 5;
    succeeds = true;
    readonly pruning: Pruning = new Pruning(
      {
        clock: this.clock,
        state: {
          record: { log: 'a', last: 9 },
          prune: async (...note) => {
            this.notes.push(note);
            return this.succeeds;
          },
        },
      },
      this.clock.now() + 15_000,
      () => this.taken,
    );

    async start(taken: number): Promise<void> {
      this.taken = taken;
      this.pruning.start();
      await settle();
    }
  }

  test('is noted once, and again where somebody comes who has less', async () => {
    const noted = new Noted();
    await noted.start(5);
    await noted.start(8);
    await noted.clock.advance(1_000);
    await noted.start(3);
    await noted.start(4);
    expect(noted.notes).toEqual([
      [5, 15_000],
      [3, 14_000],
    ]);
  });

  test('is noted with the next that is taken where it could not be', async () => {
    const noted = new Noted();
    noted.succeeds = false;
    await noted.start(5);
    noted.succeeds = true;
    await noted.start(6);
    await noted.start(7);
    expect(noted.notes).toEqual([
      [5, 15_000],
      [6, 15_000],
    ]);
  });

  test('is not noted once it can go', async () => {
    const noted = new Noted();
    await noted.clock.advance(15_000);
    await noted.start(5);
    await noted.clock.advance(5_000);
    expect(noted.notes).toEqual([[5, 0]]);
  });
});

describe('a worker that ends every few seconds', () => {
  test.each([
    [5_000, 18],
    [14_000, 7],
    [1_000, 90],
  ])('after %i ms keeps what came within two times 15 s, and a life', async (milliseconds, lives) => {
    const feeds = busy();
    await live(feeds, lives, milliseconds);
    expect(await kept(feeds)).toBeLessThanOrEqual((30_000 + milliseconds) / 500);
    expect(feeds.heardBy('anna')).not.toContain('reset');
  });

  test('gives a page that is away 15 s to come back, and no more', async () => {
    const feeds = busy();
    feeds.join('bert', following());
    await live(feeds, 1, 3_000);
    const position = feeds.positionOf('bert');
    await live(feeds, 4, 3_000);
    feeds.join('bert', following(at(position)));
    await settle();
    expect(feeds.heardBy('bert')).not.toContain('reset');
    await live(feeds, 1, 3_000);
    await live(feeds, 12, 3_000);
    feeds.join('bert', following(at(position)));
    await settle();
    expect(feeds.heardBy('bert')).toContain('reset');
  });

  test('tells a page that is new little of what was', async () => {
    const feeds = busy();
    await live(feeds, 4, 3_000);
    feeds.join('anna', following(at(feeds.positionOf('anna'))));
    feeds.join('bert', following());
    await settle();
    expect(feeds.heardBy('bert').length).toBeLessThanOrEqual(2);
  });

  test('with its browser leaves nothing out that nobody had', async () => {
    const feeds = new Feeds();
    feeds.join('anna', following());
    await feeds.clock.advance(150);
    feeds.takeAll();
    await feeds.clock.advance(1_000);
    feeds.kill();
    feeds.join('anna again', following());
    await settle();
    expect(feeds.heardBy('anna again')).toEqual(numbers(2, 3));
  });
});
