import { describe, expect, test, vi } from 'vitest';
import { unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import { answered, invocation } from '../session/invocation.fixture.ts';
import type { Reply } from '../queries/record.ts';
import type { EncodedBody } from './body.ts';
import { InTurn } from './validate.ts';
import { Ledger } from './ledger.ts';
import { FakeLink, SILENT } from './link.fixture.ts';
import type { Loop } from './loop.ts';
import { assertInterval } from './loop-order.ts';
import type { LoopOrder, LoopCursor } from './loop-order.ts';
import { ResourceLoops } from './loops.ts';
import { call } from './notice.fixture.ts';
import type { Notice } from './notice.ts';
import { TITLED_LATER } from './schema.fixture.ts';

const SENT: EventInterest = { ...SILENT, sent: true };

const NO_BODY: EncodedBody = { body: { kind: 'none' }, contentType: null };

class Stage {
  /** The connection of whoever asks for one now. */
  link: FakeLink = new FakeLink();
  readonly ledger: Ledger = new Ledger();
  readonly notices: Notice[] = [];
  readonly replies: Reply[] = [];
  /** What the order's request is made of, at each start anew. */
  encoded: EncodedBody | Promise<EncodedBody> = NO_BODY;
  interest = SILENT;
  /** Hears that `nextPollAt` may have changed. */
  changed: () => void = () => {};
  readonly loops: ResourceLoops = new ResourceLoops({
    link: () => this.link,
    ledger: this.ledger,
    turns: new InTurn(),
    notify: (notice) => this.notices.push(notice),
    answered: (reply) => this.replies.push(reply),
    changed: () => this.changed(),
  });

  readonly prepare: LoopOrder['prepare'] = () => ({
    prepared: {
      encoded: this.encoded,
      timeout: 1_000,
      headers: [],
      finish: ({ body }) => invocation({ body }),
    },
    call: call(0),
  });

  start(wish: Partial<LoopOrder> = {}, firstIn = 0): Loop {
    const order: LoopOrder = {
      action: 'get',
      key: 'get 1',
      pace: { kind: 'poll', interval: 5_000, hidden: 'slow' },
      prepare: this.prepare,
      interest: () => this.interest,
      isQuiet: false,
      ...wish,
    };
    return this.loops.start(order, firstIn);
  }

  /** The loops that were declared, and those that were stopped, in order. */
  get declared(): unknown[] {
    return this.link.loops.map(({ declaration }) => declaration.loop);
  }

  get stops(): unknown[] {
    return this.link.asked.filter((each) => String(each).startsWith('stop'));
  }

  /** The type, id and response of each notice. */
  get told(): unknown[] {
    return this.notices.map(({ type, id, response }) => [type, id, response]);
  }
}

const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a loop is declared with its pace, its first wait and what is listened for', () => {
  const stage = new Stage();
  stage.interest = { ...SILENT, sent: true };
  const loop = stage.start({}, 700);
  expect([loop.action, loop.interval]).toEqual(['get', 5_000]);
  expect(stage.link.loops.map(({ declaration }) => declaration)).toEqual([
    {
      loop: 1,
      pace: { kind: 'poll', interval: 5_000, hidden: 'slow' },
      invocation: invocation(),
      interest: { ...SILENT, sent: true },
      firstIn: 700,
      restart: false,
    },
  ]);
});

describe('a tick', () => {
  test('has an id of its own, the same in all that is heard of it', () => {
    const stage = new Stage();
    stage.start();
    for (const round of [1, 2]) {
      const listener = stage.link.loops[0]?.listener;
      listener?.ticking();
      listener?.sent(200, []);
      listener?.progress({ loaded: 1, total: null });
      stage.link.tick(answered(round));
    }
    const ids = stage.notices.map(({ id }) => id);
    expect(ids).toEqual([2, 2, 2, 2, 3, 3, 3, 3]);
    expect(stage.notices.map(({ type }) => type).slice(0, 4)).toEqual([
      'started',
      'sent',
      'progress',
      'success',
    ]);
  });

  test('can be asked for by its id, the last of the loop alone', async () => {
    const stage = new Stage();
    stage.start();
    stage.link.tick(answered('a'));
    stage.link.tick(answered('b'));
    expect(await stage.ledger.result(3)).toBe('b');
    await expect(stage.ledger.result(2)).rejects.toMatchObject({ code: 'unknown-invocation' });
  });
});

function refuse(): never {
  throw new Error('Missing parameter');
}

describe('the same again', () => {
  test('takes the place of the loop that is there', () => {
    const stage = new Stage();
    stage.start();
    stage.start();
    expect(stage.link.loops.map(({ declaration: { loop } }) => loop)).toEqual([1, 2]);
    expect(stage.link.asked).toEqual([['stop', 1]]);
  });

  test('says so, for the limit of loops does not count both', () => {
    const stage = new Stage();
    stage.start();
    stage.start();
    expect(stage.link.loops.map(({ declaration }) => declaration.replaces ?? null)).toEqual([null, 1]);
  });

  test('with other parameters is another loop', () => {
    const stage = new Stage();
    stage.start();
    stage.start({ key: 'get 2' });
    expect(stage.link.asked).toEqual([]);
  });

  test('that cannot be made leaves the loop that is there', () => {
    const stage = new Stage();
    stage.start();
    expect(() => stage.start({ prepare: refuse })).toThrow('Missing parameter');
    expect(stage.link.asked).toEqual([]);
  });

  test('is what a restart of a replaced loop is: it takes its place back', () => {
    const stage = new Stage();
    const first = stage.start();
    stage.start();
    first.restart();
    expect(stage.link.asked).toEqual([
      ['stop', 1],
      ['stop', 2],
    ]);
    expect(stage.link.loops.at(-1)?.declaration).toMatchObject({ loop: 1, firstIn: 0 });
  });
});

describe('a loop', () => {
  test('is stopped once', () => {
    const stage = new Stage();
    const loop = stage.start();
    loop.stop();
    loop.stop();
    expect(stage.link.asked).toEqual([['stop', 1]]);
  });

  test('that is restarted asks at once, with what is mapped then, at the pace that was set', () => {
    const stage = new Stage();
    const loop = stage.start({}, 5_000);
    loop.interval = 700;
    stage.encoded = { body: { kind: 'text', text: 'new' }, contentType: null };
    loop.restart();
    expect(stage.link.asked).toEqual([
      ['interval', 1, 700],
      ['stop', 1],
    ]);
    expect(stage.link.loops.at(-1)?.declaration).toMatchObject({
      loop: 2,
      firstIn: 0,
      pace: { interval: 700 },
      invocation: { body: { text: 'new' } },
    });
  });

  test('may be restarted after it was stopped', () => {
    const stage = new Stage();
    const loop = stage.start();
    loop.stop();
    loop.restart();
    stage.link.tick(answered('a'));
    expect(stage.told).toEqual([['success', 2, 'a']]);
  });

  test.each([99, 0, -1, Number.NaN, Infinity])('cannot have an interval of %s', (interval) => {
    const stage = new Stage();
    const loop = stage.start();
    const set = (): void => {
      loop.interval = interval;
    };
    expect(set).toThrow(new RangeError(`Interval of 'get' must be at least 100 ms, got ${interval}`));
    expect(loop.interval).toBe(5_000);
    expect(stage.link.asked).toEqual([]);
  });

  test('that is a long-poll has no interval', () => {
    const loop = new Stage().start({ pace: { kind: 'long-poll' } });
    expect(loop.interval).toBeNull();
    expect(() => {
      loop.interval = 1_000;
    }).toThrow(TypeError);
  });

  test('that the worker does not keep is not cut or told to any more', () => {
    const stage = new Stage();
    stage.start();
    stage.link.tick(answered(), true);
    stage.loops.cut('get');
    stage.loops.updateInterest();
    stage.loops.stopAll();
    expect(stage.link.asked).toEqual([]);
  });
});

describe('a loop whose resource has got another connection', () => {
  test('stays with the one that it was declared on', () => {
    const stage = new Stage();
    const { link } = stage;
    const loop = stage.start();
    stage.link = new FakeLink();
    const lookUp = vi.spyOn(stage, 'link', 'get');
    link.loops[0]?.listener.ticking();
    link.tick(answered('a'));
    loop.interval = 700;
    stage.interest = SENT;
    stage.loops.updateInterest();
    stage.loops.cut('get');
    loop.stop();
    expect(stage.told.at(-1)).toEqual(['success', 2, 'a']);
    expect(link.asked).toEqual([
      ['interval', 1, 700],
      ['interest', 1, SENT],
      ['cut', 1],
      ['stop', 1],
    ]);
    expect(lookUp).not.toHaveBeenCalled();
  });

  test('goes over to that with a restart, settings and all', () => {
    const stage = new Stage();
    const { link } = stage;
    const prepare = vi.fn<LoopOrder['prepare']>(stage.prepare);
    const loop = stage.start({ prepare });
    stage.link = new FakeLink();
    loop.restart();
    expect(link.asked).toEqual([['stop', 1]]);
    expect(link.loops).toHaveLength(1);
    expect(stage.link.loops).toMatchObject([{ declaration: { loop: 1, firstIn: 0 } }]);
    expect(prepare.mock.calls).toEqual([[link], [stage.link]]);
  });

  test('is not stopped where the restart cannot be made', () => {
    const stage = new Stage();
    const { link } = stage;
    const prepare = vi.fn<LoopOrder['prepare']>(refuse).mockImplementationOnce(stage.prepare);
    const loop = stage.start({ prepare });
    stage.link = new FakeLink();
    expect(() => loop.restart()).toThrow('Missing parameter');
    loop.stop();
    expect(link.asked).toEqual([['stop', 1]]);
    expect(stage.link.asked).toEqual([]);
  });
});

describe('what is listened for', () => {
  test('is told only where it has changed since the worker heard of it', () => {
    const stage = new Stage();
    stage.start();
    for (const tell of [SILENT, SENT, { ...SENT }, { ...SENT, progress: true }, SILENT, SILENT]) {
      stage.interest = tell;
      stage.loops.updateInterest();
    }
    expect(stage.link.asked).toEqual([
      ['interest', 1, SENT],
      ['interest', 1, { ...SENT, progress: true }],
      ['interest', 1, SILENT],
    ]);
  });

  test.each([['started'], ['sent'], ['progress']])('is told where it differs in %s alone', (step) => {
    const stage = new Stage();
    stage.start();
    stage.interest = { ...SILENT, [step]: true };
    stage.loops.updateInterest();
    expect(stage.link.asked).toEqual([['interest', 1, stage.interest]]);
  });

  test('goes along with a restart and need not be told again', () => {
    const stage = new Stage();
    const loop = stage.start();
    stage.interest = SENT;
    loop.restart();
    stage.loops.updateInterest();
    expect(stage.link.loops.at(-1)?.declaration.interest).toEqual(SENT);
    expect(stage.link.asked).toEqual([]);
  });

  test('goes along with a declaration that has to wait for its body', async () => {
    const stage = new Stage();
    stage.encoded = Promise.resolve(NO_BODY);
    stage.start();
    stage.interest = SENT;
    stage.loops.updateInterest();
    await settled();
    expect(stage.link.asked).toEqual([]);
    expect(stage.link.loops[0]?.declaration.interest).toEqual(SENT);
  });
});

test('requests are cut by action, what is listened for is told to all, and all are stopped', () => {
  const stage = new Stage();
  stage.start();
  stage.start({ key: 'get 2' });
  stage.start({ key: 'put', action: 'put' });
  stage.loops.cut('get');
  stage.interest = { ...SILENT, started: true };
  stage.loops.updateInterest();
  stage.loops.stopAll();
  const kinds = stage.link.asked.map((each) => Array.isArray(each) && each.slice(0, 2).join(' '));
  expect(kinds).toEqual([
    'cut 1',
    'cut 2',
    'interest 1',
    'interest 2',
    'interest 3',
    'stop 1',
    'stop 2',
    'stop 3',
  ]);
});

describe('a body that the platform reads first', () => {
  test('delays the declaration', async () => {
    const stage = new Stage();
    stage.encoded = Promise.resolve({ body: { kind: 'text', text: 'read' }, contentType: null });
    stage.start();
    expect(stage.link.loops).toEqual([]);
    await settled();
    expect(stage.link.loops).toMatchObject([{ declaration: { invocation: { body: { text: 'read' } } } }]);
  });

  test('starts nothing that was stopped meanwhile', async () => {
    const stage = new Stage();
    stage.encoded = Promise.resolve(NO_BODY);
    stage.start().stop();
    await settled();
    expect(stage.link.loops).toEqual([]);
  });

  test('is read anew at a restart, and only that starts', async () => {
    const stage = new Stage();
    stage.encoded = Promise.resolve(NO_BODY);
    stage.start().restart();
    await settled();
    expect(stage.link.loops).toHaveLength(1);
  });

  test('and cannot ends the loop with a failure', async () => {
    const stage = new Stage();
    stage.encoded = Promise.reject(new Error('the file is gone'));
    stage.start();
    await settled();
    expect(stage.notices).toMatchObject([{ type: 'error', error: { code: 'protocol' } }]);
    expect(stage.link.loops).toEqual([]);
  });
});

/** The time of the action's next request, each time that it may have changed. */
function watched(stage: Stage): unknown[] {
  const times: unknown[] = [];
  stage.changed = () => times.push(stage.loops.nextPollAt('get'));
  return times;
}

describe('when a loop asks next', () => {
  test('is known of the action’s loops, the soonest of them', () => {
    const stage = new Stage();
    for (const [loop, due] of [700, 500, 300].entries()) stage.link.due.set(loop + 1, due);
    stage.start();
    stage.start({ key: 'get 2' });
    stage.start({ key: 'put', action: 'put' });
    expect(['get', 'put', 'del'].map((action) => stage.loops.nextPollAt(action))).toEqual([500, 300, null]);
  });

  test('is told at the start, at a restart, with another interval, at every tick and at the end', () => {
    const stage = new Stage();
    const times = watched(stage);
    stage.link.due.set(1, 100);
    const loop = stage.start();
    expect(times.splice(0)).toEqual([100]);
    stage.link.due.set(1, 200);
    loop.restart();
    expect(times.splice(0)).toEqual([200]);
    stage.link.due.set(1, 300);
    loop.interval = 700;
    expect(times.splice(0)).toEqual([300]);
    stage.link.due.set(1, 400);
    stage.link.tick(answered());
    expect(times.splice(0)).toEqual([400]);
    loop.stop();
    expect(times.splice(0)).toEqual([null]);
    loop.stop();
    expect(times).toEqual([]);
  });

  test('is none of a loop that the worker has ended', () => {
    const stage = new Stage();
    const times = watched(stage);
    stage.link.due.set(1, 100);
    stage.start();
    stage.link.tick(answered(), true);
    expect(times).toEqual([100, null]);
  });

  test('is that of the loop that takes the place of another, without a gap', () => {
    const stage = new Stage();
    const times = watched(stage);
    stage.link.due.set(1, 100).set(2, 200);
    stage.start();
    stage.start();
    expect(times).toEqual([100, 200, 200]);
  });

  test('is known once the body has been read', async () => {
    const stage = new Stage();
    const times = watched(stage);
    stage.encoded = Promise.resolve(NO_BODY);
    stage.start();
    expect(times.splice(0)).toEqual([null]);
    stage.link.due.set(1, 100);
    await settled();
    expect(times).toEqual([100]);
  });

  test('is told when the tick comes, though a schema takes its time', async () => {
    const stage = new Stage();
    const times = watched(stage);
    const prepare: LoopOrder['prepare'] = (link) => ({
      ...stage.prepare(link),
      call: call(0, { schema: TITLED_LATER }),
    });
    stage.start({ prepare });
    stage.link.due.set(1, 100);
    times.splice(0);
    stage.link.tick(answered());
    expect([times, stage.notices]).toEqual([[100], []]);
    await settled();
    await settled();
    expect(stage.notices).toHaveLength(1);
  });
});

test.each([100, 100.5, 1e9])('an interval of %s is long enough', (interval) => {
  expect(() => assertInterval('get', interval)).not.toThrow();
});

describe('the loops of an action', () => {
  test('are stopped together and run again together, and no others', () => {
    const stage = new Stage();
    stage.start({ key: 'get 1' });
    stage.start({ key: 'get 2' });
    stage.start({ action: 'list', key: 'list' });
    stage.loops.stopAction('get');
    expect(stage.stops).toEqual([
      ['stop', 1],
      ['stop', 2],
    ]);
    stage.loops.stopAction('get');
    stage.loops.restartAction('get');
    expect(stage.declared).toEqual([1, 2, 3, 1, 2]);
    expect(stage.stops).toHaveLength(2);
  });

  test('that run already ask at once', () => {
    const stage = new Stage();
    stage.start({}, 700);
    stage.loops.restartAction('get');
    expect(stage.link.loops.map(({ declaration: { loop, firstIn } }) => [loop, firstIn])).toEqual([
      [1, 700],
      [1, 0],
    ]);
  });

  test('are not run again where another took their place, or they were stopped for good', () => {
    const stage = new Stage();
    stage.start({ key: 'get 1' });
    const other = stage.start({ key: 'get 2' });
    stage.loops.stopAction('get');
    stage.start({ key: 'get 1' });
    other.stop();
    stage.loops.restartAction('get');
    expect(stage.declared).toEqual([1, 2, 3, 3]);
  });

  test('are not run again once all are over', () => {
    const stage = new Stage();
    stage.start();
    stage.loops.stopAction('get');
    stage.loops.stopAll();
    stage.loops.restartAction('get');
    expect(stage.declared).toEqual([1]);
  });
});

describe('a loop that follows a cursor', () => {
  const CURSOR = {
    cursor: {
      kind: 'feed',
      from: { kind: 'etag' },
      plus: 0,
      to: { kind: 'if-none-match' },
      initial: null,
      catchUp: null,
    },
  } as const;

  /** With what its request is made of beside the call. */
  function following(
    stage: Stage,
    wish: Partial<ReturnType<LoopOrder['prepare']>> = {},
  ): LoopOrder['prepare'] {
    return (link) => ({ ...stage.prepare(link), following: CURSOR, ...wish });
  }

  test('is declared with it', () => {
    const stage = new Stage();
    stage.start({ prepare: following(stage) });
    expect(stage.link.loops[0]?.declaration).toMatchObject({ ...CURSOR, restart: false });
  });

  test('and is restarted says so', () => {
    const stage = new Stage();
    stage.start({ prepare: following(stage) }).restart();
    expect(stage.link.loops[1]?.declaration).toMatchObject({ ...CURSOR, loop: 1, restart: true, firstIn: 0 });
  });

  test('tells the state as the answer of the action that it caught up with, and its own tick goes on', () => {
    const stage = new Stage();
    stage.start({ prepare: following(stage, { catchUp: call(0, { action: 'state' }) }) });
    const listener = stage.link.loops[0]?.listener;
    listener?.ticking();
    listener?.tick(answered('all'), false, true);
    listener?.tick(answered('one'), false);
    expect(stage.notices.map(({ action, id, type }) => [action, id, type])).toEqual([
      ['get', 2, 'started'],
      ['state', 3, 'success'],
      ['get', 2, 'success'],
    ]);
  });

  test('and loses it says so with an id of its own', () => {
    const stage = new Stage();
    stage.start({ prepare: following(stage) });
    stage.link.loops[0]?.listener.ticking();
    stage.link.loops[0]?.listener.reset({ code: 'protocol', message: 'refused' });
    expect(stage.notices).toMatchObject([
      { type: 'started', id: 2 },
      { type: 'reset', id: 3, action: 'get', error: { code: 'protocol' } },
    ]);
  });

  test('and loses it says so after the answers before, though a schema takes its time', async () => {
    const stage = new Stage();
    stage.start({ prepare: following(stage, { call: call(0, { schema: TITLED_LATER }) }) });
    const listener = stage.link.loops[0]?.listener;
    listener?.tick(answered({ title: 'a' }), false);
    listener?.reset({ code: 'protocol', message: 'refused' });
    await settled();
    await settled();
    expect(stage.notices.map(({ type }) => type)).toEqual(['success', 'reset']);
  });

  test.each([
    ['a feed tells', CURSOR, ['success']],
    ['another loop gives up', {}, []],
  ])('%s an answer that a schema looks at while it is restarted', async (_who, cursor, types) => {
    const stage = new Stage();
    const loop = stage.start({
      prepare: following(stage, { following: cursor, call: call(0, { schema: TITLED_LATER }) }),
    });
    stage.link.tick(answered({ title: 'a' }));
    loop.restart();
    await settled();
    await settled();
    expect(stage.notices.map(({ type }) => type)).toEqual(types);
  });

  test('and is stopped meanwhile tells nothing', async () => {
    const stage = new Stage();
    const loop = stage.start({ prepare: following(stage, { call: call(0, { schema: TITLED_LATER }) }) });
    stage.link.tick(answered({ title: 'a' }));
    loop.stop();
    await settled();
    await settled();
    expect(stage.notices).toEqual([]);
  });
});

/** Tells these ticks, one after the other, and says which made a notice. */
function told(outcomes: readonly Outcome[], following?: LoopCursor): number[] {
  const stage = new Stage();
  stage.start({
    isQuiet: true,
    prepare: (link) => ({ ...stage.prepare(link), ...(following && { following }) }),
  });
  return outcomes.flatMap((outcome, at) => {
    const before = stage.notices.length;
    stage.link.tick(outcome);
    return stage.notices.length > before ? [at] : [];
  });
}

function revised(n: number): { readonly revision: { readonly lineage: string; readonly number: number } } {
  return { revision: { lineage: 'a', number: n } };
}

describe('a loop that is to tell of changes alone', () => {
  const same = answered('same', { changed: false, ...revised(1) });

  test('makes notices of the first, of changes, of failures and of what follows them', () => {
    const stale = answered('same', { changed: false, stale: true, ...revised(1) });
    expect(
      told([same, same, answered('new', revised(2)), answered('new', { changed: false, ...revised(2) })]),
    ).toEqual([0, 2]);
    expect(told([answered('not stored'), answered('not stored')])).toEqual([0, 1]);
    const failed = unanswered({ code: 'network', message: 'no' });
    expect(told([same, failed, same, same])).toEqual([0, 1, 2]);
    expect(told([same, stale, stale, same, same])).toEqual([0, 1, 2, 3]);
  });

  test('tells whoever makes models of it all the same, and ends what was asked for', async () => {
    const stage = new Stage();
    stage.start({ isQuiet: true });
    stage.link.tick(same);
    stage.link.loops[0]?.listener.ticking();
    const id = stage.notices.at(-1)?.id ?? 0;
    const result = stage.ledger.result(id);
    stage.link.tick(same);
    expect(await result).toBe('same');
    expect(stage.replies).toHaveLength(2);
  });

  test('tells the first after a restart, and every answer of a feed', () => {
    const stage = new Stage();
    const loop = stage.start({ isQuiet: true });
    stage.link.tick(same);
    loop.restart();
    stage.link.tick(same);
    expect(stage.notices).toHaveLength(2);
    const cursor = {
      from: { kind: 'etag' },
      to: { kind: 'if-none-match' },
      plus: 0,
      initial: null,
      catchUp: null,
      kind: 'feed',
    } as const;
    expect(told([same, same], { cursor })).toEqual([0, 1]);
  });

  test('tells the next answer to whoever begins to listen, and after a call of its action that did not go well', () => {
    const stage = new Stage();
    stage.start({ isQuiet: true });
    const tick = (): number => {
      stage.link.tick(same);
      return stage.notices.length;
    };
    expect([tick(), tick()]).toEqual([1, 1]);
    stage.loops.updateInterest();
    expect([stage.link.asked, tick()]).toEqual([[], 1]);
    stage.loops.updateInterest(true);
    expect([stage.link.asked.length, tick(), tick()]).toEqual([1, 2, 2]);
    stage.loops.tellNext('put');
    expect([stage.link.asked.length, tick()]).toEqual([1, 2]);
    stage.loops.tellNext('get');
    expect([stage.link.asked.length, tick(), tick()]).toEqual([2, 3, 3]);
  });
});
