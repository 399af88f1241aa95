import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeHost } from './host.fixture.ts';
import type { Delivery, SentBody } from '../../shared/delivery.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { answered } from './invocation.fixture.ts';
import { fakeTime, pass, SessionStage } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

/** A page whose engine runs in itself, and the service worker that it comes to have. */
class Stage extends SessionStage {
  readonly worker = new FakeHost();

  move(): Promise<void> {
    return this.host.move(this.worker);
  }
}

describe('a page that moves from its own engine to the service worker', () => {
  test('takes its loops along, with their places, and ends them where they were', async () => {
    const stage = new Stage();
    const heard = await stage.declare({ firstIn: 0 });
    const { life } = stage.host;
    const revision = { lineage: 'a', number: 3 };
    await life.deliver({
      kind: 'tick',
      loop: 1,
      outcome: answered('first', { revision }),
      nextIn: 5_000,
      entry: { log: 'log', offset: 7 },
    });
    await pass(2_000);
    await stage.move();
    expect(life.told('stop')).toEqual([{ kind: 'stop', loop: 1 }]);
    expect(stage.worker.life.told('declare')).toMatchObject([
      { declaration: { loop: 1, firstIn: 3_000, again: { revision }, position: { log: 'log', offset: 7 } } },
    ]);
    expect(stage.states.slice(-3)).toEqual(['connecting', 'greeting', 'live']);
    void life.deliver({ kind: 'tick', loop: 1, outcome: answered('too late'), nextIn: 5_000 });
    void stage.worker.life.deliver({ kind: 'tick', loop: 1, outcome: answered('second'), nextIn: 5_000 });
    await pass(1);
    expect(heard.gists).toEqual(['first', 'second']);
  });

  test('has the calls that are under way answered where they are, once, whatever their method', async () => {
    const stage = new Stage();
    const calls = [await stage.call(1), await stage.call(2, { method: 'POST' })];
    const { life } = stage.host;
    await stage.move();
    const later = await stage.call(3, { method: 'POST' });
    const next = stage.worker.life;
    expect([life.batches, next.batches]).toEqual([[[1], [2]], [[3]]]);
    for (const id of [1, 2]) await life.settle(id, answered(`here ${id}`));
    await next.settle(3, answered('there'));
    await pass(60_000);
    expect([...calls, later].map(({ ends }) => ends)).toEqual([['here 1'], ['here 2'], ['there']]);
    expect(next.submitted).toHaveLength(1);
  });

  test('leaves the engine alone when the last call is answered, and not before', async () => {
    const stage = new Stage();
    await stage.call(1);
    const { life } = stage.host;
    await stage.move();
    expect([life.told('close'), stage.host.listeners]).toEqual([[], 1]);
    await life.settle(1, answered('a'));
    await pass(1);
    expect([life.told('close').length, stage.host.listeners]).toEqual([1, 0]);
  });

  test('leaves it at once where it has no calls', async () => {
    const stage = new Stage();
    await stage.session.ready();
    await stage.move();
    await pass(1);
    expect([stage.host.life.told('close').length, stage.host.listeners]).toEqual([1, 0]);
  });

  test('can still abort a call there, and gives up at its deadline', async () => {
    const stage = new Stage();
    const [aborted, late] = [await stage.call(1), await stage.call(2, { policy: { timeout: 5_000 } })];
    const { life } = stage.host;
    await stage.move();
    stage.session.abort([1]);
    expect(aborted.ends).toEqual(['aborted']);
    await pass(7_000);
    expect(late.ends).toEqual(['timeout']);
    expect(life.told('abort').map(({ ids }) => ids)).toEqual([[1], [2]]);
    expect(stage.host.listeners).toBe(0);
  });

  test('does not have them sent again by the death of the worker that it has moved to', async () => {
    const stage = new Stage();
    const call = await stage.call(1);
    await stage.move();
    await stage.declare();
    const next = stage.worker.revive();
    stage.session.presence.show();
    await pass(1_000);
    expect(next.greetings).toBe(1);
    expect(next.submitted).toEqual([]);
    void stage.host.life.settle(1, answered('a'));
    await pass(1);
    expect([call.ends, stage.host.listeners]).toEqual([['a'], 0]);
  });

  test('has a long list of that engine whole, whatever it misses of the worker meanwhile', async () => {
    const stage = new Stage();
    const call = await stage.call(1);
    const { life } = stage.host;
    await stage.move();
    await stage.declare();
    await life.deliver(chunk(0));
    void stage.worker.life.deliver({ kind: 'ticking', loop: 1, place: { sequence: 'life 1', number: 5 } });
    await pass(100);
    expect(stage.worker.life.resyncs).toEqual([false, true]);
    await life.deliver(chunk(1));
    await life.settle(1, inChunks(2));
    await pass(40_000);
    expect(call.ends).toEqual([[0, 1]]);
  });

  test('does not greet the worker anew for what it misses of that engine', async () => {
    const stage = new Stage();
    const call = await stage.call(1);
    const { life } = stage.host;
    await stage.move();
    await life.deliver({
      kind: 'settled',
      id: 1,
      outcome: inChunks(2),
      place: { sequence: 'life 1', number: 3 },
    });
    await pass(100);
    expect([call.ends, stage.worker.life.greetings]).toEqual([['protocol'], 1]);
  });

  test('while it greets its own engine greets the worker instead', async () => {
    const stage = new Stage();
    stage.host.life.mute = true;
    const call = await stage.call(1);
    await stage.move();
    expect(stage.worker.life.batches).toEqual([[1]]);
    await stage.worker.life.settle(1, answered('a'));
    await pass(60_000);
    expect(call.ends).toEqual(['a']);
    expect(stage.host.life.greetings).toBe(1);
  });

  test('and is closed stays closed', async () => {
    const stage = new Stage();
    await stage.session.ready();
    stage.session.close();
    await stage.move();
    expect([stage.states.at(-1), stage.worker.life.greetings]).toEqual(['closed', 0]);
  });
});

/** A list that comes in so many chunks. */
function inChunks(chunks: number): Outcome<SentBody> {
  const { answer, ...rest } = answered(null, { revision: { lineage: 'a', number: 1 } });
  return { ...rest, answer: { ...answer, body: { kind: 'chunked', path: [], envelope: 'null', chunks } } };
}

function chunk(index: number): Delivery {
  return { kind: 'chunk', to: { id: 1 }, index, path: [], text: `[${index}]` };
}
