import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { unanswered } from '../../shared/outcome.ts';
import { Calls } from './calls.ts';
import type { CallListener } from './calls.ts';
import { answered, refused, submission } from './invocation.fixture.ts';
import type { Wish } from './invocation.fixture.ts';
import { fakeTime, HeardCall } from './stage.fixture.ts';

beforeEach(fakeTime);

afterEach(() => {
  vi.useRealTimers();
});

class Stage {
  readonly expired: number[] = [];
  /** How often calls that had to wait may have been sent. */
  freed = 0;
  readonly calls: Calls = new Calls({
    expired: (id) => this.expired.push(id),
    freed: () => (this.freed += 1),
    era: () => 0,
  });

  add(id: number, wish: Wish = {}): HeardCall {
    const heard = new HeardCall();
    this.calls.add(submission(id, wish), heard);
    return heard;
  }

  send(): number[] {
    return this.calls.takeUnsent().map(({ id }) => id);
  }
}

test('what is unsent is taken once, in the order of the calls', () => {
  const stage = new Stage();
  stage.add(2);
  stage.add(1);
  expect(stage.send()).toEqual([2, 1]);
  stage.add(3);
  expect(stage.send()).toEqual([3]);
  expect(stage.send()).toEqual([]);
});

test('a write that no worker has taken is sent, though a newer one that was sent along has been given up', () => {
  const stage = new Stage();
  stage.add(1, { method: 'POST' });
  stage.add(2, { method: 'PUT' });
  stage.send();
  stage.calls.settle(2, unanswered({ code: 'aborted', message: 'The call was aborted' }), true);
  stage.calls.takeBack([1, 2]);
  expect(stage.send()).toEqual([1]);
});

test('a write that was sent again is given up where no worker takes it, and a newer one may have been done', () => {
  const stage = new Stage();
  const heard = [1, 2].map((id) => stage.add(id, { method: 'PUT' }));
  stage.send();
  stage.calls.recover([]);
  expect(stage.send()).toEqual([1]);
  stage.calls.settle(2, unanswered({ code: 'aborted', message: 'The call was aborted' }), true);
  stage.calls.takeBack([1]);
  expect(heard.map(({ ends }) => ends)).toEqual([['worker-lost'], ['aborted']]);
  expect(stage.send()).toEqual([]);
});

test('a read that was sent again is sent once more where no worker takes it, though a newer read has ended', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  stage.add(2);
  stage.send();
  stage.calls.recover([]);
  expect(stage.send()).toEqual([1, 2]);
  stage.calls.settle(2, answered('newer'));
  stage.calls.takeBack([1]);
  expect(heard.ends).toEqual([]);
  expect(stage.send()).toEqual([1]);
});

test('a read is sent as often as no worker takes it, though a newer read is with a worker', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  stage.add(2);
  stage.send();
  stage.calls.recover([2]);
  expect(stage.send()).toEqual([1]);
  stage.calls.takeBack([1]);
  expect(heard.ends).toEqual([]);
  expect(stage.send()).toEqual([1]);
});

test('a call is settled once, and only the first outcome counts', () => {
  const stage = new Stage();
  const heard = stage.add(1);
  expect(stage.calls.size).toBe(1);
  stage.calls.settle(1, answered('first'));
  stage.calls.settle(1, answered('second'));
  stage.calls.settle(99, answered('nobody’s'));
  expect(heard.ends).toEqual(['first']);
  expect(stage.calls.size).toBe(0);
  expect(stage.calls.get(1)).toBeUndefined();
});

describe('when the worker is dead', () => {
  test('what may be sent again goes in the old order, before what is new', () => {
    const stage = new Stage();
    for (const [index, method] of ['GET', 'PUT', 'DELETE'].entries()) {
      stage.add(index + 1, { method, template: `/photo/${index}` });
    }
    stage.send();
    stage.add(9);
    stage.calls.recover([]);
    expect(stage.send()).toEqual([1, 2, 3, 9]);
  });

  test('a write waits for an earlier one to the same that is sent again, and goes when that is settled', () => {
    const stage = new Stage();
    const wishes: Wish[] = [
      { method: 'PUT' },
      { method: 'DELETE' },
      { method: 'PUT', template: '/other' },
      { method: 'GET' },
    ];
    for (const [index, wish] of wishes.entries()) stage.add(index + 1, wish);
    stage.send();
    stage.add(5, { method: 'POST' });
    stage.add(6, { method: 'GET' });
    stage.calls.recover([]);
    expect(stage.send()).toEqual([1, 3, 4, 6]);
    expect(stage.send()).toEqual([]);
    stage.calls.settle(3, answered());
    expect(stage.send()).toEqual([]);
    stage.calls.settle(1, answered());
    expect(stage.freed).toBe(2);
    expect(stage.send()).toEqual([2]);
    stage.calls.settle(2, answered());
    expect(stage.send()).toEqual([5]);
  });

  test('an older write that is given up before it is sent again frees the newer', () => {
    const stage = new Stage();
    stage.add(1, { method: 'PUT' });
    stage.send();
    stage.add(2, { method: 'PUT' });
    stage.calls.hold(1, 60_000);
    stage.calls.recover([]);
    expect(stage.send()).toEqual([]);
    stage.calls.settle(1, answered());
    expect(stage.freed).toBe(1);
    expect(stage.send()).toEqual([2]);
  });

  test('a write to what nothing is sent again to does not wait', () => {
    const stage = new Stage();
    stage.add(1, { method: 'PUT' });
    stage.add(2, { method: 'PUT' });
    expect(stage.send()).toEqual([1, 2]);
    expect(stage.freed).toBe(0);
  });

  test.each(['POST', 'PATCH'])('a %s that was sent is lost, one that was not is not', (method) => {
    const stage = new Stage();
    const sent = stage.add(1, { method });
    stage.send();
    const unsent = stage.add(2, { method });
    stage.calls.recover([]);
    expect(sent.ends).toEqual(['worker-lost']);
    expect(unsent.ends).toEqual([]);
    expect(stage.send()).toEqual([2]);
  });

  test('it may die again', () => {
    const stage = new Stage();
    stage.add(1);
    stage.send();
    stage.calls.recover([]);
    stage.calls.recover([]);
    expect(stage.send()).toEqual([1]);
    stage.calls.recover([]);
    expect(stage.send()).toEqual([1]);
  });

  test('a call that waits for its repetition goes no earlier, and no later write to the same before it', () => {
    const stage = new Stage();
    stage.add(1, { method: 'PUT' });
    stage.send();
    stage.add(2, { method: 'PUT' });
    stage.calls.hold(1, 1_000);
    vi.advanceTimersByTime(400);
    stage.calls.hold(1, 5_000);
    stage.calls.recover([]);
    expect(stage.send()).toEqual([]);
    vi.advanceTimersByTime(4_999);
    expect([stage.freed, stage.send()]).toEqual([0, []]);
    vi.advanceTimersByTime(1);
    expect([stage.freed, stage.send()]).toEqual([1, [1]]);
    stage.calls.settle(1, answered());
    expect(stage.send()).toEqual([2]);
  });

  test('a wait that its worker outlives is of no consequence, nor is that of a call that is settled', () => {
    const stage = new Stage();
    for (const id of [1, 2]) stage.add(id);
    stage.send();
    for (const id of [1, 2, 99]) stage.calls.hold(id, 1_000);
    stage.calls.settle(2, answered());
    vi.advanceTimersByTime(1_000);
    expect([stage.freed, stage.send()]).toEqual([1, []]);
    stage.calls.recover([]);
    expect(stage.send()).toEqual([1]);
  });

  test('a DELETE that finds nothing the second time has succeeded, the first time it has not', () => {
    const stage = new Stage();
    const again = stage.add(1, { method: 'DELETE' });
    stage.send();
    stage.calls.recover([]);
    const once = stage.add(2, { method: 'DELETE' });
    stage.send();
    stage.calls.settle(1, refused(404));
    stage.calls.settle(2, refused(404));
    expect(again.ends).toEqual([null]);
    expect(once.ends).toEqual(['http']);
  });
});

describe('the deadline of a call', () => {
  test('is its timeout and a second, and its owner is told before it is settled', () => {
    const stage = new Stage();
    const heard = stage.add(1, { policy: { timeout: 2_000 } });
    vi.advanceTimersByTime(2_999);
    expect(stage.expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(stage.expired).toEqual([1]);
    expect(heard.outcomes).toMatchObject([{ failure: { code: 'timeout', timeout: 2_000 } }]);
  });

  test('is nothing to a call that was settled', () => {
    const stage = new Stage();
    stage.add(1);
    stage.calls.settle(1, answered());
    vi.advanceTimersByTime(60_000);
    expect(stage.expired).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('may be further away than timers reach', () => {
    const stage = new Stage();
    const heard = stage.add(1, { policy: { timeout: Number.MAX_SAFE_INTEGER } });
    vi.advanceTimersByTime(86_400_000);
    expect(heard.ends).toEqual([]);
  });
});

describe('a call that is made by the handler of a failure', () => {
  test('is not among those that fail together', () => {
    const stage = new Stage();
    let calls = 1;
    const again: CallListener = {
      sent: () => {},
      progress: () => {},
      preliminary: () => {},
      settled: () => {
        calls += 1;
        if (calls < 1_000) stage.calls.add(submission(calls), again);
      },
    };
    stage.calls.add(submission(1), again);
    stage.calls.failAll({ code: 'not-connected', message: 'no worker' });
    expect(stage.calls.ids).toEqual([2]);
  });

  test('is not settled by the greeting that settled the first', () => {
    const stage = new Stage();
    let calls = 1;
    const again: CallListener = {
      sent: () => {},
      progress: () => {},
      preliminary: () => {},
      settled: () => {
        calls += 1;
        if (calls >= 1_000) return;
        stage.calls.add(submission(calls, { method: 'POST' }), again);
        stage.send();
      },
    };
    stage.calls.add(submission(1, { method: 'POST' }), again);
    stage.send();
    stage.calls.recover([]);
    expect(stage.calls.ids).toEqual([2]);
  });
});

test('all fail together', () => {
  const stage = new Stage();
  const heard = [stage.add(1), stage.add(2)];
  stage.calls.failAll({ code: 'not-connected', message: 'no worker' });
  expect(heard.map(({ ends }) => ends)).toEqual([['not-connected'], ['not-connected']]);
  expect(stage.calls.size).toBe(0);
});
