import { expect, test } from 'vitest';
import { answered, declaration, SILENT } from './invocation.fixture.ts';
import { DeclaredLoops } from './loops.ts';
import { HeardLoop } from './stage.fixture.ts';

class Stage {
  now = 1_000;
  readonly loops: DeclaredLoops = new DeclaredLoops(() => this.now);

  add(loop: number, firstIn = 0): HeardLoop {
    const heard = new HeardLoop();
    this.loops.add(declaration({ loop, firstIn }), heard);
    return heard;
  }

  /** The number of each loop that is declared again, and what is left of its wait. */
  get again(): unknown[] {
    return this.loops
      .declareAgain()
      .map(
        (command) => command.kind === 'declare' && [command.declaration.loop, command.declaration.firstIn],
      );
  }
}

test('a loop is declared again with the rest of its first wait', () => {
  const stage = new Stage();
  stage.add(1, 5_000);
  stage.add(2);
  stage.now += 2_000;
  expect(stage.again).toEqual([
    [1, 3_000],
    [2, 0],
  ]);
});

test('and later with the rest of the wait that its last tick told', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  stage.loops.tick(1, answered('a'), 5_000);
  stage.now += 1_500;
  expect(stage.again).toEqual([[1, 3_500]]);
  stage.now += 60_000;
  expect(stage.again).toEqual([[1, 0]]);
  expect(heard.ticks).toEqual([{ outcome: answered('a'), ended: false }]);
});

test('a loop that the worker does not keep is ended, and not declared again', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  stage.loops.tick(1, answered(), null);
  expect(heard.ticks).toMatchObject([{ ended: true }]);
  expect(stage.loops.size).toBe(0);
  expect(stage.again).toEqual([]);
});

test('what was changed meanwhile is declared as it is', () => {
  const stage = new Stage();
  stage.add(1);
  const tell = { ...SILENT, sent: true };
  stage.loops.setInterval(1, 700);
  stage.loops.setTell(1, tell);
  stage.loops.setInterval(9, 700);
  expect(stage.loops.declareAgain()).toMatchObject([
    { kind: 'declare', declaration: { loop: 1, pace: { interval: 700 }, tell } },
  ]);
});

test('a loop that was removed hears no more', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  stage.loops.remove(1);
  stage.loops.tick(1, answered(), 5_000);
  expect(heard.ticks).toEqual([]);
  expect(stage.loops.listener(1)).toBeUndefined();
  expect(stage.again).toEqual([]);
});

test('all are told once that there is no worker, again once there has been one, and go on', () => {
  const stage = new Stage();
  const heard = [stage.add(1), stage.add(2)];
  stage.loops.tellOnce(answered('all'));
  stage.loops.tellOnce(answered('all'));
  expect(heard.map(({ ticks }) => ticks)).toEqual([
    [{ outcome: answered('all'), ended: false }],
    [{ outcome: answered('all'), ended: false }],
  ]);
  expect(stage.again).toHaveLength(2);
  stage.loops.tellOnce(answered('all'));
  expect(heard.map(({ ticks }) => ticks.length)).toEqual([2, 2]);
});

test('it is known when each asks next', () => {
  const stage = new Stage();
  stage.add(1, 5_000);
  stage.add(2);
  expect([1, 2, 3].map((loop) => stage.loops.dueAt(loop))).toEqual([6_000, 1_000, null]);
  stage.now += 300;
  stage.loops.tick(2, answered(), 4_700);
  expect(stage.loops.dueAt(2)).toBe(6_000);
  stage.now += 700;
  stage.loops.setInterval(2, 60_000);
  expect(stage.loops.dueAt(2)).toBe(61_000);
  stage.loops.tick(1, answered(), null);
  stage.loops.remove(2);
  expect([1, 2].map((loop) => stage.loops.dueAt(loop))).toEqual([null, null]);
});

test('a long-poll has no interval to set', () => {
  const stage = new Stage();
  stage.loops.add(declaration({ pace: { kind: 'long-poll' }, firstIn: 700 }), new HeardLoop());
  stage.loops.setInterval(1, 60_000);
  expect(stage.loops.dueAt(1)).toBe(1_700);
});

test('declaring them again makes them due no other time, but what was asked before is forgotten', () => {
  const stage = new Stage();
  stage.add(1);
  stage.loops.tick(1, answered(), 5_000);
  stage.now += 1_000;
  stage.loops.declareAgain();
  expect(stage.loops.dueAt(1)).toBe(6_000);
  stage.loops.setInterval(1, 700);
  expect(stage.loops.dueAt(1)).toBe(2_700);
});
