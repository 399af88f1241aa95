import { describe, expect, test } from 'vitest';
import type { LogOffset, SentBody, Ticked } from '../../shared/delivery.ts';
import type { Again, LoopDeclaration, EventInterest } from '../../shared/protocol.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import { answered, declaration, refused, SILENT } from './invocation.fixture.ts';
import { DeclaredLoops } from './loops.ts';
import { HeardLoop } from './stage.fixture.ts';

class Stage {
  now = 1_000;
  readonly clock = { now: (): number => this.now, back: 0 };
  /** What was declared anew of its own accord. */
  readonly declared: LoopDeclaration[] = [];
  readonly loops: DeclaredLoops = new DeclaredLoops(this.clock, (anew) => this.declared.push(anew));

  add(loop: number, firstIn = 0): HeardLoop {
    const heard = new HeardLoop();
    this.loops.add(declaration({ loop, firstIn }), heard);
    return heard;
  }

  tick(ticked: Omit<Ticked, 'kind'>): void {
    this.loops.get(ticked.loop)?.tick(ticked);
  }

  /** When a loop asks next; null where it is not declared. */
  dueAt(loop: number): number | null {
    return this.loops.get(loop)?.dueAt ?? null;
  }

  /** The number of each loop that is declared again, and what is left of its wait. */
  get again(): unknown[] {
    return this.loops.declarations.map(({ loop, firstIn }) => [loop, firstIn]);
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
  stage.tick({ loop: 1, outcome: answered('a'), nextIn: 5_000 });
  stage.now += 1_500;
  expect(stage.again).toEqual([[1, 3_500]]);
  stage.now += 60_000;
  expect(stage.again).toEqual([[1, 0]]);
  expect(heard.ticks).toEqual([{ outcome: answered('a'), ended: false }]);
});

test('of that wait those milliseconds have gone in which the page was frozen and could not hear the tick', () => {
  const stage = new Stage();
  stage.add(1);
  const toldAt = stage.now;
  stage.now += 3_000;
  stage.tick({ loop: 1, outcome: answered('a'), nextIn: 5_000, at: toldAt });
  expect(stage.again).toEqual([[1, 2_000]]);
  // The clock was set back since.
  stage.tick({ loop: 1, outcome: answered('a'), nextIn: 5_000, at: stage.now + 60_000 });
  expect(stage.again).toEqual([[1, 5_000]]);
});

test('when a loop is due is told by the device’s clock, and its wait goes on though that is set back', () => {
  const stage = new Stage();
  stage.add(1, 5_000);
  stage.now += 1_000 - 500_000;
  stage.clock.back += 500_000;
  expect([stage.again, stage.dueAt(1)]).toEqual([[[1, 4_000]], stage.now + 4_000]);
  stage.tick({ loop: 1, outcome: answered('a'), nextIn: 5_000, at: stage.now - 2_000 });
  expect([stage.again, stage.dueAt(1)]).toEqual([[[1, 3_000]], stage.now + 3_000]);
});

test('a loop that the worker does not keep is ended, and not declared again', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  stage.tick({ loop: 1, outcome: answered(), nextIn: null });
  expect(heard.ticks).toMatchObject([{ ended: true }]);
  expect(stage.loops.size).toBe(0);
  expect(stage.again).toEqual([]);
});

test('what was changed meanwhile is declared as it is', () => {
  const stage = new Stage();
  stage.add(1);
  const interest = { ...SILENT, sent: true };
  stage.loops.get(1)?.setInterval(700);
  stage.loops.get(1)?.setInterest(interest);
  stage.loops.get(9)?.setInterval(700);
  expect(stage.loops.declarations).toMatchObject([{ loop: 1, pace: { interval: 700 }, interest }]);
});

test('a loop that was removed hears no more', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  stage.loops.remove(1);
  stage.tick({ loop: 1, outcome: answered(), nextIn: 5_000 });
  expect(heard.ticks).toEqual([]);
  expect(stage.loops.get(1)).toBeUndefined();
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
  stage.loops.welcome();
  expect(stage.again).toHaveLength(2);
  stage.loops.tellOnce(answered('all'));
  expect(heard.map(({ ticks }) => ticks.length)).toEqual([2, 2]);
});

test('a loop that the handler of that declares is not told of it in the same breath', () => {
  const stage = new Stage();
  let loops = 1;
  const heard = new HeardLoop();
  heard.tick = () => {
    loops += 1;
    if (loops < 1_000) stage.loops.add(declaration({ loop: loops }), heard);
  };
  stage.loops.add(declaration({ loop: 1 }), heard);
  stage.loops.tellOnce(answered('all'));
  expect(stage.loops.size).toBe(2);
});

describe('a poll that goes slowly while its page is hidden', () => {
  test('is not late before its minute is over, and waits it out with the next life of the worker', () => {
    const stage = new Stage();
    stage.add(1);
    stage.tick({ loop: 1, outcome: answered(), nextIn: 5_000 });
    stage.loops.hidden = true;
    stage.now += 30_000;
    expect(stage.loops.declarations).toMatchObject([
      { firstIn: 0, askedAgo: 30_000, again: { overdueBy: 0 } },
    ]);
    stage.loops.hidden = false;
    expect(stage.loops.declarations).toMatchObject([{ firstIn: 0, again: { overdueBy: 25_000 } }]);
  });

  test('is late by what is beyond it', () => {
    const stage = new Stage();
    stage.add(1);
    stage.tick({ loop: 1, outcome: answered(), nextIn: 5_000 });
    stage.loops.hidden = true;
    stage.now += 61_500;
    expect(stage.loops.declarations).toMatchObject([{ again: { overdueBy: 1_500 } }]);
    stage.now += 300;
    stage.tick({ loop: 1, outcome: answered(), nextIn: 4_700 });
    // It asked when its minute was over.
    stage.now += 30_000;
    expect(stage.loops.declarations).toMatchObject([{ askedAgo: 31_800, again: { overdueBy: 0 } }]);
  });
});

test('it is known when each asks next', () => {
  const stage = new Stage();
  stage.add(1, 5_000);
  stage.add(2);
  expect([1, 2, 3].map((loop) => stage.dueAt(loop))).toEqual([6_000, 1_000, null]);
  stage.now += 300;
  stage.tick({ loop: 2, outcome: answered(), nextIn: 4_700 });
  expect(stage.dueAt(2)).toBe(6_000);
  stage.now += 700;
  stage.loops.get(2)?.setInterval(60_000);
  expect(stage.dueAt(2)).toBe(61_000);
  stage.tick({ loop: 1, outcome: answered(), nextIn: null });
  stage.loops.remove(2);
  expect([1, 2].map((loop) => stage.dueAt(loop))).toEqual([null, null]);
});

test('a long-poll has no interval to set', () => {
  const stage = new Stage();
  stage.loops.add(declaration({ pace: { kind: 'long-poll' }, firstIn: 700 }), new HeardLoop());
  stage.loops.get(1)?.setInterval(60_000);
  expect(stage.dueAt(1)).toBe(1_700);
});

test('declaring them again makes them due no other time, nor is it forgotten when they asked', () => {
  const stage = new Stage();
  stage.add(1);
  stage.tick({ loop: 1, outcome: answered(), nextIn: 5_000 });
  stage.now += 1_000;
  expect(stage.loops.declarations).toMatchObject([{ firstIn: 4_000, askedAgo: 1_000 }]);
  stage.loops.welcome();
  expect(stage.dueAt(1)).toBe(6_000);
  stage.loops.get(1)?.setInterval(2_700);
  expect(stage.dueAt(1)).toBe(3_700);
});

test.each([
  ['the network is gone', { code: 'network', message: 'gone' }, 'cut-off', 31_000],
  ['the server refuses', { code: 'protocol', message: 'odd' }, undefined, 61_000],
] as const)(
  'where %s, the next life is told as much, and the page knows it still',
  (_, failure, last, due) => {
    const stage = new Stage();
    stage.add(1);
    stage.tick({ loop: 1, outcome: unanswered(failure), nextIn: 60_000 });
    expect(stage.loops.declarations[0]?.firstIn).toBe(60_000);
    expect(againOf(stage)?.last).toBe(last);
    stage.loops.welcome();
    stage.loops.get(1)?.setInterval(60_000);
    stage.loops.get(1)?.online();
    expect(stage.dueAt(1)).toBe(due);
  },
);

/** What the loop of that number would tell a new life of the worker that it has. */
function positionOf(stage: Stage): unknown {
  return stage.loops.declarations[0]?.position;
}

function againOf(stage: Stage): Again | null | undefined {
  return stage.loops.declarations[0]?.again;
}

function hear(stage: Stage, outcome: Outcome, entry?: LogOffset): void {
  stage.tick({ loop: 1, outcome, nextIn: 5_000, ...(entry ? { entry } : {}) });
}

const KEPT: Outcome = answeredAt(7);

function answeredAt(number: number): Outcome {
  const outcome = answered('a');
  return outcome.kind === 'answered' ? { ...outcome, revision: { lineage: 'a', number } } : outcome;
}
const FAILED: Outcome = {
  kind: 'failed',
  failure: { code: 'network', message: 'gone' },
  answer: null,
  request: null,
};

describe('a loop that is declared again says', () => {
  test('nothing where nothing was heard', () => {
    const stage = new Stage();
    stage.add(1);
    expect(againOf(stage)).toBeNull();
  });

  test('which state it has, and by how much its request is late', () => {
    const stage = new Stage();
    stage.add(1);
    hear(stage, KEPT);
    stage.now += 3_000;
    expect(againOf(stage)).toMatchObject({ revision: { lineage: 'a', number: 7 }, overdueBy: 0 });
    stage.now += 3_000;
    hear(stage, FAILED);
    stage.now += 7_000;
    expect(againOf(stage)).toEqual({
      revision: { lineage: 'a', number: 7 },
      overdueBy: 2_000,
      last: 'cut-off',
    });
  });

  test('no lateness of a long-poll, whose request was out', () => {
    const stage = new Stage();
    const wish = declaration({ loop: 1, pace: { kind: 'long-poll' } });
    stage.loops.add(wish, new HeardLoop());
    hear(stage, KEPT);
    stage.now += 60_000;
    expect(againOf(stage)?.overdueBy).toBe(0);
  });

  test('what it has taken of a feed, whatever else it heard', () => {
    const stage = new Stage();
    stage.add(1);
    hear(stage, answered('a'), { log: 'log', offset: 4 });
    hear(stage, FAILED);
    expect(stage.loops.declarations).toMatchObject([{ position: { log: 'log', offset: 4 } }]);
  });

  test('where it begins in a feed of which it has heard nothing yet', () => {
    const stage = new Stage();
    stage.add(1);
    stage.loops.get(1)?.join({ log: 'log', offset: 4 });
    stage.loops.get(9)?.join({ log: 'log', offset: 4 });
    expect(stage.loops.declarations).toMatchObject([{ position: { log: 'log', offset: 4 }, again: null }]);
    const told = stage.loops.add(declaration({ loop: 1 }), new HeardLoop()).first;
    expect(told).toMatchObject({ position: { log: 'log', offset: 4 } });
    hear(stage, answered('a'), { log: 'log', offset: 5 });
    expect(positionOf(stage)).toEqual({ log: 'log', offset: 5 });
  });

  test('what it has taken, though the next worker takes it to begin before that', () => {
    const stage = new Stage();
    stage.add(1);
    hear(stage, answered('a'), { log: 'log', offset: 4 });
    stage.loops.get(1)?.join({ log: 'log', offset: 3 });
    expect(positionOf(stage)).toEqual({ log: 'log', offset: 4 });
  });

  test('that it is nowhere after a reset', () => {
    const stage = new Stage();
    const heard = stage.add(1);
    hear(stage, answered('a'), { log: 'log', offset: 4 });
    stage.loops.get(1)?.reset({ code: 'protocol', message: 'refused' });
    stage.loops.get(9)?.reset({ code: 'protocol', message: 'refused' });
    expect([heard.steps, positionOf(stage)]).toEqual([['reset'], null]);
    hear(stage, answered('b'), { log: 'log', offset: 3 });
    expect([heard.ticks.length, positionOf(stage)]).toEqual([2, { log: 'log', offset: 3 }]);
  });

  test('no more that it is restarted', () => {
    const stage = new Stage();
    stage.loops.add(declaration({ restart: true }), new HeardLoop());
    expect(stage.loops.declarations).toMatchObject([{ restart: false }]);
  });
});

test('a loop that is restarted says where it is, and that it is not late', () => {
  const stage = new Stage();
  stage.add(1);
  hear(stage, answered('a'), { log: 'log', offset: 4 });
  stage.now += 60_000;
  const told = stage.loops.add(declaration({ restart: true }), new HeardLoop()).first;
  expect(told).toMatchObject({ restart: true, position: { log: 'log', offset: 4 }, again: { overdueBy: 0 } });
  expect(stage.loops.add(declaration({ loop: 2 }), new HeardLoop()).first).not.toHaveProperty('again');
});

test('an answer of a feed that was told before is not told again', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  for (const offset of [1, 2, 1, 2, 3]) hear(stage, answered(offset), { log: 'log', offset });
  expect(heard.gists).toEqual([1, 2, 3]);
  expect(stage.declared).toEqual([]);
});

describe('a page that is taken for further on in a feed than it is says where it is', () => {
  const position = { log: 'log', offset: 4 };

  function following(): { stage: Stage; heard: HeardLoop } {
    const stage = new Stage();
    const heard = stage.add(1);
    stage.loops.get(1)?.join(position);
    return { stage, heard };
  }

  test.each([
    ['later in its log', { log: 'log', offset: 6 }],
    ['in another log', { log: 'another', offset: 2 }],
  ])('where it is told that it begins %s', (_where, beginning) => {
    const { stage } = following();
    stage.loops.get(1)?.join(beginning);
    expect(stage.declared).toMatchObject([{ loop: 1, position }]);
    expect(positionOf(stage)).toEqual(position);
  });

  test.each([
    ['after a gap', { log: 'log', offset: 6 }],
    ['of another log', { log: 'another', offset: 1 }],
  ])('where an answer comes %s, which it hears when that comes again in its turn', (_where, entry) => {
    const { stage, heard } = following();
    for (const late of [entry, { ...entry, offset: entry.offset + 1 }]) hear(stage, answered('late'), late);
    expect([heard.gists, positionOf(stage)]).toEqual([[], position]);
    expect(stage.declared).toMatchObject([{ loop: 1, position }]);
    hear(stage, answered('five'), { log: 'log', offset: 5 });
    hear(stage, answered('six'), { log: 'log', offset: 6 });
    expect(heard.gists).toEqual(['five', 'six']);
    expect(stage.declared).toHaveLength(1);
  });

  test('but not after a state that stands for all before it', () => {
    const { stage, heard } = following();
    for (const outcome of [refused(503), answered('old', { stale: true })]) {
      stage.tick({ loop: 1, outcome, nextIn: 5_000, isCatchUp: true });
      expect(positionOf(stage)).toEqual(position);
    }
    stage.tick({ loop: 1, outcome: answered('state'), nextIn: 5_000, isCatchUp: true });
    expect(positionOf(stage)).toBeNull();
    stage.loops.get(1)?.join({ log: 'another', offset: 0 });
    hear(stage, answered('one'), { log: 'another', offset: 1 });
    expect(heard.gists.at(-1)).toBe('one');
    expect(stage.declared).toEqual([]);
  });
});

describe('of what has changed', () => {
  const [FIRST, SECOND] = [
    { lineage: 'a', number: 1 },
    { lineage: 'a', number: 2 },
  ];
  const PATCHES: SentBody = {
    kind: 'patches',
    from: FIRST,
    patches: [{ path: [], envelope: null, change: { kind: 'list', runs: [0, 1, -1, 1], rows: '[2]' } }],
  };

  function patched(wish: Partial<Answered> = {}, body = PATCHES): Answered<SentBody> {
    const { answer, ...rest } = answered(null, { revision: SECOND, ...wish });
    return { ...rest, answer: { ...answer, body } };
  }

  test('the page hears the whole', () => {
    const stage = new Stage();
    const heard = stage.add(1);
    stage.tick({ loop: 1, outcome: answered([1], { revision: FIRST }), nextIn: 5_000 });
    stage.tick({ loop: 1, outcome: patched(), nextIn: 5_000 });
    const same = patched({}, { kind: 'patches', from: SECOND, patches: [] });
    stage.tick({ loop: 1, outcome: same, nextIn: 5_000 });
    expect(heard.gists).toEqual([[1], [1, 2], [1, 2]]);
    expect(heard.gists[2]).toBe(heard.gists[1]);
    expect(stage.declared).toEqual([]);
  });

  test('what it has outlives a failure, and another life of the worker', () => {
    const stage = new Stage();
    const heard = stage.add(1);
    stage.tick({ loop: 1, outcome: answered([1], { revision: FIRST }), nextIn: 5_000 });
    stage.tick({ loop: 1, outcome: refused(500), nextIn: 5_000 });
    expect(stage.loops.declarations).toMatchObject([{ again: { revision: FIRST } }]);
    stage.tick({ loop: 1, outcome: patched(), nextIn: 5_000 });
    expect(heard.gists).toEqual([[1], 'http', [1, 2]]);
  });

  test('what it has outlives a restart of the loop', () => {
    const stage = new Stage();
    stage.add(1);
    stage.tick({ loop: 1, outcome: answered([1], { revision: FIRST }), nextIn: 5_000 });
    const heard = stage.add(1);
    stage.tick({ loop: 1, outcome: patched(), nextIn: 5_000 });
    expect(heard.gists).toEqual([[1, 2]]);
  });

  test('what it cannot make anything of is not heard, and the loop is declared as if it had nothing', () => {
    const stage = new Stage();
    const heard = stage.add(1);
    stage.tick({ loop: 1, outcome: answered([1], { revision: SECOND }), nextIn: 5_000 });
    stage.now += 1_000;
    stage.tick({ loop: 1, outcome: patched(), nextIn: 5_000 });
    expect(heard.gists).toEqual([[1]]);
    expect(stage.declared).toMatchObject([{ loop: 1, firstIn: 4_000, restart: false }]);
    expect(stage.declared[0]?.again).toBeUndefined();
    expect(stage.loops.declarations).toMatchObject([{ again: { revision: null } }]);
  });

  test('where what it had is not stored, the server is asked', () => {
    const stage = new Stage();
    stage.add(1);
    const { answer, ...rest } = answered();
    const named = {
      ...rest,
      answer: { ...answer, body: { kind: 'json', text: '[1]', as: SECOND } },
    } as const;
    stage.tick({ loop: 1, outcome: named, nextIn: 5_000 });
    stage.tick({ loop: 1, outcome: patched(), nextIn: 5_000 });
    expect(stage.declared).toMatchObject([{ loop: 1, restart: true }]);
  });

  test('what catches up is of another answer, and is not what later changes are told of', () => {
    const stage = new Stage();
    const heard = stage.add(1);
    stage.tick({ loop: 1, outcome: answered([1], { revision: FIRST }), nextIn: 5_000 });
    stage.tick({
      loop: 1,
      outcome: answered('state', { revision: { lineage: 'b', number: 1 } }),
      nextIn: 5_000,
      isCatchUp: true,
    });
    stage.tick({ loop: 1, outcome: patched(), nextIn: 5_000 });
    expect(heard.gists).toEqual([[1], 'state', [1, 2]]);
  });
});

const BODILESS: EventInterest = { ...SILENT, body: false };

/** The nth answer of a loop, whose body stays with the worker. */
function unsent(n: number): Answered<SentBody> {
  return { ...answered(null, at(n)), answer: { status: 200, headers: [], body: { kind: 'unsent' } } };
}

function at(number: number): Partial<Answered> {
  return { revision: { lineage: 'a', number } };
}

function again(n: number | null): unknown {
  return expect.objectContaining({ revision: n === null ? null : { lineage: 'a', number: n } });
}

describe('where nobody in the page wants whole answers', () => {
  test('a tick is told without its body, and the loop goes on as ever', () => {
    const stage = new Stage();
    const heard = stage.add(1);
    stage.loops.get(1)?.setInterest(BODILESS);
    stage.tick({ loop: 1, outcome: unsent(3), nextIn: 5_000 });
    expect([heard.ticks, heard.steps]).toEqual([[], [['unsent', 3]]]);
    expect(stage.dueAt(1)).toBe(6_000);
    expect(stage.loops.declarations).toMatchObject([{ interest: BODILESS, firstIn: 5_000, again: again(3) }]);
    stage.tick({ loop: 1, outcome: unsent(4), nextIn: null });
    expect(stage.loops.size).toBe(0);
  });

  test('what came whole before is kept no more', () => {
    const stage = new Stage();
    const heard = stage.add(1);
    stage.tick({ loop: 1, outcome: answered(['a'], at(1)), nextIn: 5_000 });
    stage.loops.get(1)?.setInterest(BODILESS);
    stage.tick({ loop: 1, outcome: unsent(1), nextIn: 5_000 });
    const body: SentBody = { kind: 'patches', from: { lineage: 'a', number: 1 }, patches: [] };
    const patched = { ...unsent(1), answer: { status: 200, headers: [], body } };
    stage.tick({ loop: 1, outcome: patched, nextIn: 5_000 });
    expect(heard.ticks).toHaveLength(1);
    expect(stage.declared).toHaveLength(1);
  });

  test('the next life of the worker hears that somebody wants them again, as the last would have', () => {
    const stage = new Stage();
    stage.add(1);
    stage.loops.get(1)?.setInterest(BODILESS);
    stage.tick({ loop: 1, outcome: unsent(3), nextIn: 5_000 });
    expect(stage.loops.get(1)?.isLacking).toBe(false);
    stage.loops.get(1)?.setInterest(SILENT);
    expect(stage.loops.get(1)?.isLacking).toBe(true);
    const lacking = { interest: SILENT, again: { revision: null, behind: true } };
    expect(stage.loops.declarations).toMatchObject([lacking]);
    expect(stage.loops.add(declaration(), new HeardLoop()).first).toMatchObject(lacking);
    stage.tick({ loop: 1, outcome: answered('a', at(3)), nextIn: 5_000 });
    expect(stage.loops.get(1)?.isLacking).toBe(false);
    expect(stage.loops.declarations).toMatchObject([{ again: again(3) }]);
  });
});

describe('where the page is hidden', () => {
  test('that there is news is told to nobody; what has changed by then is made of what the page has', () => {
    const stage = new Stage();
    const heard = stage.add(1);
    stage.tick({ loop: 1, outcome: answered(['a'], at(1)), nextIn: 5_000 });
    stage.tick({ loop: 1, outcome: unsent(2), nextIn: 8_000 });
    expect([heard.ticks.length, heard.steps]).toEqual([1, []]);
    expect(stage.dueAt(1)).toBe(9_000);
    const body: SentBody = { kind: 'patches', from: { lineage: 'a', number: 1 }, patches: [] };
    stage.tick({
      loop: 1,
      outcome: { ...unsent(3), answer: { status: 200, headers: [], body } },
      nextIn: 1,
    });
    expect(heard.ticks).toHaveLength(2);
    expect(stage.loops.get(1)?.isLacking).toBe(false);
  });

  test('the next life of the worker hears what the page has, and that it knows of something newer', () => {
    const stage = new Stage();
    stage.add(1);
    stage.tick({ loop: 1, outcome: answered(['a'], at(1)), nextIn: 5_000 });
    stage.tick({ loop: 1, outcome: unsent(2), nextIn: 5_000 });
    const known = { again: { revision: { lineage: 'a', number: 1 }, behind: true } };
    expect(stage.loops.declarations).toMatchObject([known]);
    expect(stage.loops.add(declaration(), new HeardLoop()).first).toMatchObject(known);
  });
});
