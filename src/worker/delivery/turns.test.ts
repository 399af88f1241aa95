import { describe, expect, test } from 'vitest';
import { settle, VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { LARGE, nextOf, Turns } from './turns.ts';
import type { Later } from './turns.ts';

describe('whose turn is next', () => {
  test.each<[string, string[], string[], string | null]>([
    ['nobody waits', [], [], null],
    ['whoever has waited longest', ['anna', 'bert'], [], 'anna'],
    ['whoever is seen, before those who are not', ['anna', 'bert', 'cleo'], ['anna'], 'bert'],
    ['of those who are hidden, whoever has waited longest', ['anna', 'bert'], ['anna', 'bert'], 'anna'],
  ])('%s', (_who, waiting, hidden, expected) => {
    expect(nextOf(waiting, (page) => hidden.includes(page))).toBe(expected);
  });
});

/** Pages that take what they are told when they are made to. */
class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly hidden: Set<string> = new Set();
  readonly told: string[] = [];
  readonly #taken = new Map<string, () => void>();
  readonly turns: Turns = new Turns({
    isHidden: (page) => this.hidden.has(page),
    sleep: (milliseconds, signal) => this.clock.sleep(milliseconds, signal),
  });

  async wait(page: string, what: string, wish: Partial<Later> = {}): Promise<void> {
    const tell: Later['tell'] = (taken) => {
      this.told.push(`${page} ${what}`);
      this.#taken.set(`${page} ${what}`, taken);
    };
    this.turns.wait(page, { loop: 1, url: null, name: null, size: () => LARGE, tell, ...wish });
  }

  async take(what: string): Promise<void> {
    this.#taken.get(what)?.();
    await settle();
  }
}

describe('what is large', () => {
  test('goes to the page that is seen, then to each of the others when the one before has it', async () => {
    const stage = new Stage();
    stage.hidden.add('anna');
    for (const page of ['anna', 'bert', 'cleo']) void stage.wait(page, 'list');
    await settle();
    expect(stage.told).toEqual(['bert list']);
    await stage.take('bert list');
    expect(stage.told).toEqual(['bert list', 'cleo list']);
    await stage.take('cleo list');
    expect(stage.told).toEqual(['bert list', 'cleo list', 'anna list']);
  });

  test('does not wait for long for a page that takes nothing, nor for one that is gone', async () => {
    const stage = new Stage();
    for (const page of ['frozen', 'gone', 'bert']) void stage.wait(page, 'list');
    await stage.clock.advance(1_999);
    expect(stage.told).toEqual(['frozen list']);
    await stage.clock.advance(1);
    expect(stage.told).toEqual(['frozen list', 'gone list']);
    stage.turns.release('gone');
    expect(stage.told.at(-1)).toBe('bert list');
    // That it has come late to one ends nobody else's turn.
    void stage.wait('cleo', 'list');
    await stage.take('frozen list');
    expect(stage.told.at(-1)).toBe('bert list');
  });

  test('is told once with what has come to stand for it, and before what was told of the loop after it', async () => {
    const stage = new Stage();
    void stage.wait('anna', 'list');
    void stage.wait('bert', 'old', { name: 'state' });
    await settle();
    expect([stage.turns.holds('bert', 1, null), stage.turns.holds('bert', 2, null)]).toEqual([true, false]);
    void stage.wait('bert', 'new', { name: 'state' });
    void stage.wait('bert', 'failure', { name: 'failure', size: () => 0 });
    await stage.take('anna list');
    expect(stage.told).toEqual(['anna list', 'bert new', 'bert failure']);
    expect(stage.turns.holds('bert', 1, null)).toBe(false);
  });

  test('lets the next go at once where it is large no more', async () => {
    const stage = new Stage();
    void stage.wait('anna', 'notice', { size: () => 0 });
    void stage.wait('bert', 'list');
    await settle();
    expect(stage.told).toEqual(['anna notice', 'bert list']);
  });

  test('is given back where something newer is to be told of its URL, with all else that waits of its loop', async () => {
    const stage = new Stage();
    void stage.wait('anna', 'list');
    void stage.wait('bert', 'list', { url: '/photos' });
    void stage.wait('bert', 'other list', { url: '/albums', loop: 2 });
    void stage.wait('bert', 'failure', { loop: 1, size: () => 0 });
    await settle();
    expect(stage.turns.holds('bert', 3, '/photos')).toBe(true);
    expect(stage.turns.hurry('bert', '/nothing')).toEqual([]);
    for (const { tell } of stage.turns.hurry('bert', '/photos')) tell(() => {});
    expect(stage.told).toEqual(['anna list', 'bert list', 'bert failure']);
    expect(stage.turns.holds('bert', 3, '/photos')).toBe(false);
    await stage.take('anna list');
    expect(stage.told.slice(3)).toEqual(['bert other list']);
  });

  test('is given back, for a page that is told all at once', async () => {
    const stage = new Stage();
    void stage.wait('anna', 'list');
    void stage.wait('bert', 'list');
    await settle();
    expect(stage.turns.release('bert')).toHaveLength(1);
    await stage.take('anna list');
    expect(stage.told).toEqual(['anna list']);
  });
});
