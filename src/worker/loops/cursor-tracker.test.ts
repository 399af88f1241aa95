import { describe, expect, test } from 'vitest';
import type { Cursor } from '../../shared/cursor.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import { answered, failed, failedWith, refused } from '../contracts/outcome.fixture.ts';
import { StaleGeneration } from '../platform/database-deadline.ts';
import { MemoryLoops } from '../storage/loops.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { CursorTracker } from './cursor-tracker.ts';
import type { Reply } from '../contracts/audience.ts';
import { CHANGES, cursor, said, STATE, valueOf } from '../feeds/feed.fixture.ts';
import { storeIn } from '../contracts/loop-store.fixture.ts';
import type { LoopStore } from '../contracts/loop-store.ts';
import { DurableState } from '../scheduling/durable-state.ts';

const WITH_STATE: Partial<Cursor> = { catchUp: STATE };

/** A loop's memory, and a server that answers as it is told to. */
class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly stored: MemoryLoops = new MemoryLoops(this.clock);
  generation = 1;
  append: LoopStore['append'] = (record, entry) => this.stored.append(record, entry);
  /** What was asked: the place, or the action where it was to catch up. */
  readonly asked: string[] = [];
  readonly resets: string[] = [];
  renewals = 0;
  taken = 0;
  end: AbortController = new AbortController();
  memory: DurableState;
  #names = 0;
  #course: CursorTracker;
  readonly #cursor: Cursor;

  constructor(wish: Partial<Cursor> = {}) {
    this.#cursor = cursor(wish);
    this.memory = this.#remember();
    this.#course = this.#make();
  }

  /** Asks once; the answers are given in order, and the last of them then on. */
  ask(...answers: (Outcome | (() => Outcome))[]): Promise<Reply> {
    const left = [...answers];
    return this.#course.ask({
      now: () => this.clock.now(),
      invoke: async ({ action }, addition) => {
        const place = addition.query[0]?.[1] ?? 'none';
        this.asked.push(action === STATE.action ? action : place);
        const next = left.length > 1 ? left.shift() : left[0];
        return typeof next === 'function' ? next() : (next ?? failed('protocol'));
      },
      signal: this.end.signal,
      reset: (failure) => this.resets.push(failure.code),
      renewed: () => (this.renewals += 1),
      acknowledged: () => this.taken,
    });
  }

  /** Another life of the worker, or another engine. */
  restart(): void {
    this.generation += 1;
    this.memory = this.#remember();
    this.#course = this.#make();
  }

  async log(): Promise<unknown[]> {
    return (await this.stored.entries('key', 0, 100)).map(({ outcome }) => Object(valueOf(outcome)).last);
  }

  #make(): CursorTracker {
    return new CursorTracker(CHANGES, this.#cursor, null, this.memory);
  }

  #remember(): DurableState {
    const { stored } = this;
    return new DurableState({
      clock: this.clock,
      store: { ...storeIn(stored), append: (...entry) => this.append(...entry) },
      generation: () => this.generation,
      key: async () => 'key',
      uuid: () => `log ${(this.#names += 1)}`,
    });
  }
}

/** An answer that names that place. */
function at(last: string | null, wish: Partial<Answered> = {}): Outcome {
  return said({ last }, 200, wish);
}

/** The same in a header. */
function moved(place: string, wish: Parameters<typeof answered>[0] = {}): Outcome {
  const { answer, ...rest } = answered(wish);
  return { ...rest, answer: { ...answer, headers: [['Next', place]] } };
}

function gist({ outcome, advanced, isCatchUp, entry }: Reply): unknown[] {
  const what = outcome.kind === 'failed' ? outcome.failure.code : outcome.answer.status;
  return [what, { advanced, isCatchUp, entry }];
}

const QUIET = { advanced: false, isCatchUp: false, entry: null };

describe('what a feed answers', () => {
  test('is stored with the place after it, which is asked from next', async () => {
    const stage = new Stage();
    expect(gist(await stage.ask(at('5')))).toEqual([200, { advanced: true, isCatchUp: false, entry: 1 }]);
    expect(await stage.stored.find('key')).toMatchObject({ cursor: '5', last: 1 });
    await stage.ask(at('7'));
    expect([stage.asked, await stage.log()]).toEqual([
      ['0', '5'],
      ['5', '7'],
    ]);
    stage.restart();
    await stage.ask(at('8'));
    expect([stage.asked.at(-1), await stage.log()]).toEqual(['7', ['5', '7', '8']]);
  });

  test('is stored with when it came, and with what all had taken', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    await stage.clock.advance(3_000);
    stage.taken = 1;
    await stage.ask(at('7'));
    expect(await stage.stored.find('key')).toMatchObject({ last: 2, acknowledged: 1 });
    const entries = await stage.stored.entries('key', 0, 10);
    expect(entries.map(({ receivedAt = 0 }) => stage.clock.now() - receivedAt)).toEqual([3_000, 0]);
    await stage.memory.startAfresh();
    expect(await stage.stored.find('key')).toMatchObject({ last: 0, acknowledged: 0 });
  });

  test('and cannot be stored is a failure, and is asked for again: nothing is lost', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    stage.append = async () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    expect(gist(await stage.ask(at('7')))).toEqual(['quota', QUIET]);
    stage.append = (record, entry) => stage.stored.append(record, entry);
    expect(gist(await stage.ask(at('7')))).toEqual([200, { advanced: true, isCatchUp: false, entry: 2 }]);
    expect([stage.asked, await stage.log()]).toEqual([
      ['0', '5', '5'],
      ['5', '7'],
    ]);
  });

  test('and is stored after all is not asked for again', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    stage.append = async (record, entry) => {
      await stage.stored.append(record, entry);
      throw new Error('the connection was lost');
    };
    await stage.ask(at('7'));
    stage.append = (record, entry) => stage.stored.append(record, entry);
    const before = stage.renewals;
    await stage.ask(at('8'));
    expect([stage.asked.at(-1), await stage.log(), stage.renewals]).toEqual([
      '7',
      ['5', '7', '8'],
      before + 1,
    ]);
  });

  test('and failed, while another engine may have acted, is not asked for again at once', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    const reply = await stage.ask(() => {
      stage.generation += 1;
      return failed('network');
    }, at('7'));
    expect([gist(reply)[0], stage.asked]).toEqual(['network', ['0', '5']]);
  });

  test('and names no place is told, stored, and no advance', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    expect(gist(await stage.ask(at(null)))).toEqual([200, { advanced: false, isCatchUp: false, entry: 2 }]);
    await stage.ask(at('5'));
    expect(stage.asked).toEqual(['0', '5', '5']);
  });

  test('and leaves it where it was is nothing new, and no advance', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    expect(gist(await stage.ask(at('5')))).toEqual([204, QUIET]);
    expect(await stage.log()).toEqual(['5']);
  });

  test('without content may move the place: that is stored, and nothing is told', async () => {
    const stage = new Stage({ from: { kind: 'header', name: 'Next' } });
    const empty = answered({
      answer: { status: 204, headers: [['Next', '9']], body: { kind: 'value', value: null } },
    });
    expect(gist(await stage.ask(empty))).toEqual([204, { ...QUIET, advanced: true }]);
    expect(await stage.stored.find('key')).toMatchObject({ cursor: '9', last: 0 });
  });

  test('is stored without secrets', async () => {
    const stage = new Stage();
    const headers = [
      ['Authorization', 'secret'],
      ['X-One', '1'],
    ] as const;
    await stage.ask(
      answered({ answer: { status: 200, headers, body: { kind: 'value', value: { last: 'a' } } } }),
    );
    const [entry] = await stage.stored.entries('key', 0, 1);
    expect(entry?.outcome.answer?.headers).toEqual([['X-One', '1']]);
  });

  test('once nobody waits for it is dropped, and comes again', async () => {
    const stage = new Stage();
    const late = (): Outcome => {
      stage.end.abort();
      return at('5');
    };
    expect(gist(await stage.ask(late))).toEqual(['aborted', QUIET]);
    expect(await stage.log()).toEqual([]);
    stage.end = new AbortController();
    await stage.ask(at('5'));
    expect(stage.asked).toEqual(['0', '0']);
  });

  test('to a place that another engine has left meanwhile is dropped', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    const record = { ...stage.memory.record, key: 'key', cursor: '9', last: 2 };
    const taken = (): Outcome => {
      stage.generation += 1;
      void stage.stored.append(record, { offset: 2, outcome: at('9'), size: 1 });
      return at('7');
    };
    await stage.ask(taken, at('12'));
    expect([stage.asked, await stage.log()]).toEqual([
      ['0', '5', '9'],
      ['5', '9', '12'],
    ]);
  });

  test('in a term that ends while it is stored is asked for again in the next: no page hears of a failure', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    const { append } = stage;
    stage.append = async () => {
      stage.append = append;
      stage.generation += 1;
      throw new StaleGeneration(1, 2);
    };
    expect(gist(await stage.ask(at('7')))).toEqual([200, { advanced: true, isCatchUp: false, entry: 2 }]);
    expect([stage.asked, await stage.log()]).toEqual([
      ['0', '5', '5'],
      ['5', '7'],
    ]);
  });

  test('in a term that ends for good while it is stored is dropped', async () => {
    const stage = new Stage();
    await stage.ask(at('5'));
    stage.append = async () => {
      stage.end.abort();
      throw new StaleGeneration(1, null);
    };
    expect(gist(await stage.ask(at('7')))).toEqual(['aborted', QUIET]);
    expect([stage.asked, await stage.log()]).toEqual([['0', '5'], ['5']]);
  });
});

describe('a place that the server refuses', () => {
  test.each([400, 409, 410])(
    'with %i is given up with an event, and asking starts afresh',
    async (status) => {
      const stage = new Stage();
      await stage.ask(at('5'));
      const { log } = stage.memory.record;
      expect(gist(await stage.ask(refused(status), at('9')))).toEqual([
        200,
        { advanced: true, isCatchUp: false, entry: 1 },
      ]);
      expect([stage.asked, stage.resets, await stage.log()]).toEqual([['0', '5', '0'], ['http'], ['9']]);
      expect(stage.memory.record.log).not.toBe(log);
    },
  );

  test('is also one that is too long for any URL, which no later life could go on from', async () => {
    const stage = new Stage();
    await stage.ask(at('long'));
    const tooLong = failedWith({ code: 'url-too-long', message: 'too long' });
    expect(gist(await stage.ask(tooLong, at('9')))).toEqual([
      200,
      { advanced: true, isCatchUp: false, entry: 1 },
    ]);
    expect(stage.asked).toEqual(['0', 'long', '0']);
  });

  test('leads to the state first, and on from there', async () => {
    const stage = new Stage(WITH_STATE);
    await stage.ask(at('5'));
    expect(gist(await stage.ask(refused(410), at('9')))).toEqual([
      200,
      { advanced: true, isCatchUp: true, entry: null },
    ]);
    await stage.ask(at('10'));
    expect(stage.asked).toEqual(['state', '5', 'state', '9']);
  });

  test('to which the state leads back is a failure, until it leads on', async () => {
    const stage = new Stage(WITH_STATE);
    await stage.ask(at('5'));
    expect(gist(await stage.ask(refused(410), at('5')))).toEqual(['protocol', { ...QUIET, isCatchUp: true }]);
    expect(gist(await stage.ask(at('5')))).toEqual(['protocol', { ...QUIET, isCatchUp: true }]);
    expect(gist(await stage.ask(at('6')))).toEqual([200, { advanced: true, isCatchUp: true, entry: null }]);
    await stage.ask(at('7'));
    await stage.ask(refused(410), at('6'));
    expect(stage.asked).toEqual(['state', '5', 'state', 'state', 'state', '6', '7', 'state']);
  });

  test.each([{}, WITH_STATE])(
    'time and again is a failure: it is not asked in a tight loop',
    async (wish) => {
      const stage = new Stage(wish);
      await stage.ask(at('1'));
      const replies: unknown[] = [];
      for (let place = 2; place < 6; place += 1) {
        const [what] = gist(
          await stage.ask(() => (stage.memory.record.cursor === null ? at(String(place)) : refused(400))),
        );
        replies.push(what);
      }
      expect(replies).toEqual([200, 'http', 200, 'http']);
    },
  );

  test('that was the first one is a failure as any', async () => {
    const stage = new Stage();
    expect(gist(await stage.ask(refused(410)))).toEqual(['http', QUIET]);
    expect(stage.resets).toEqual([]);
  });
});

describe('catching up', () => {
  test('comes first, without anything stored but the place, and in another log', async () => {
    const stage = new Stage(WITH_STATE);
    expect(gist(await stage.ask(at('5')))).toEqual([200, { advanced: true, isCatchUp: true, entry: null }]);
    expect(await stage.stored.find('key')).toMatchObject({ cursor: '5', last: 0 });
    expect(await stage.log()).toEqual([]);
  });

  test('that names no place is a failure', async () => {
    const stage = new Stage(WITH_STATE);
    const reply = await stage.ask(at(null));
    expect(gist(reply)).toEqual(['protocol', { ...QUIET, isCatchUp: true }]);
    expect(reply.outcome).toMatchObject({ failure: { message: expect.stringContaining('names no place') } });
  });

  test('that fails is asked for again', async () => {
    const stage = new Stage(WITH_STATE);
    expect(gist(await stage.ask(refused(503)))).toEqual(['http', { ...QUIET, isCatchUp: true }]);
    await stage.ask(at('5'));
    expect(stage.asked).toEqual(['state', 'state']);
  });

  test('comes first again after a pause of more than 5 min, and what the log had is then no more', async () => {
    const stage = new Stage(WITH_STATE);
    await stage.ask(at('5'));
    await stage.ask(at('6'));
    const { log } = stage.memory.record;
    await stage.clock.advance(300_000);
    await stage.ask(at('7'));
    await stage.clock.advance(300_001);
    await stage.ask(at('50'));
    expect([stage.asked, await stage.log()]).toEqual([['state', '5', '6', 'state'], []]);
    expect(stage.memory.record).toMatchObject({ cursor: '50', last: 0 });
    expect(stage.memory.record.log).not.toBe(log);
  });

  test('does not come again in a long time without news, nor in the next life after it', async () => {
    const stage = new Stage(WITH_STATE);
    await stage.ask(at('5'));
    for (let held = 0; held < 400; held += 25) {
      await stage.clock.advance(25_000);
      await stage.ask(answered({ status: 204 }));
    }
    stage.restart();
    await stage.ask(at('6'));
    expect(stage.asked.filter((asked) => asked === 'state')).toHaveLength(1);
  });

  test('for one page is asked for by itself, and there is none where the loop has no place yet', async () => {
    const stage = new Stage(WITH_STATE);
    const course = new CursorTracker(CHANGES, cursor(WITH_STATE), null, stage.memory);
    expect(course.ownCatchUp).toBeNull();
    await stage.ask(at('5'));
    expect(course.ownCatchUp).toBe(STATE);
    expect(new CursorTracker(CHANGES, cursor(), null, stage.memory).ownCatchUp).toBeNull();
  });
});

describe('the place of a state', () => {
  const KEPT = { revision: { lineage: 'a', number: 1 } };

  test('is stored where the state is, and not in a log', async () => {
    const stage = new Stage({ kind: 'state' });
    expect(gist(await stage.ask(at('5', KEPT)))).toEqual([200, { ...QUIET, advanced: true }]);
    expect(await stage.stored.find('key')).toMatchObject({ cursor: '5', last: 0 });
  });

  test('is of this life alone where the state is: the next one asks for that again', async () => {
    const stage = new Stage({ kind: 'state' });
    await stage.ask(at('5', KEPT));
    await stage.ask(at('6'));
    await stage.ask(at('7'));
    stage.restart();
    await stage.ask(at('7'));
    expect(stage.asked).toEqual(['0', '5', '6', '5']);
  });

  test('that came of catching up is of this life alone', async () => {
    const stage = new Stage({ ...WITH_STATE, kind: 'state' });
    await stage.ask(at('5', KEPT));
    await stage.ask(answered({ status: 204 }));
    stage.restart();
    await stage.ask(at('5'));
    expect(stage.asked).toEqual(['state', '5', 'state']);
  });

  test('that is moved without content is stored if the state is, and else is of this life alone', async () => {
    const stage = new Stage({ kind: 'state', from: { kind: 'header', name: 'Next' } });
    await stage.ask(moved('5', KEPT));
    await stage.ask(moved('6', { status: 204 }));
    expect(await stage.stored.find('key')).toMatchObject({ cursor: '6' });
    await stage.ask(moved('7'));
    await stage.ask(moved('8', { status: 204 }));
    expect(await stage.stored.find('key')).toMatchObject({ cursor: '6' });
    expect(stage.asked).toEqual(['0', '5', '6', '7']);
  });

  test('of which the server says that it is unchanged, though it is not stored, is given up', async () => {
    const stage = new Stage({ kind: 'state' });
    await stage.ask(at('5', KEPT));
    stage.restart();
    expect(gist(await stage.ask(answered({ status: 304 }), at('5', KEPT)))).toEqual([
      200,
      { ...QUIET, advanced: true },
    ]);
    expect([stage.asked, stage.resets]).toEqual([['0', '5', '0'], ['protocol']]);
  });

  test('is kept where the state has been told in this life, or is stored', async () => {
    const stage = new Stage({ kind: 'state' });
    await stage.ask(at('5', KEPT));
    expect(gist(await stage.ask(answered({ status: 304 })))).toEqual([304, QUIET]);
    stage.restart();
    await stage.ask(answered({ status: 304, confirmed: true }));
    expect(stage.resets).toEqual([]);
  });
});
