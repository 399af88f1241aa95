import { describe, expect, test, vi } from 'vitest';
import { answered } from '../session/invocation.fixture.ts';
import { ACTION, Watcher, fail, tell, telling, told } from './record.fixture.ts';
import { QueryRecords } from './records.ts';
import { invocation } from '../session/invocation.fixture.ts';
import type { QueryRecord } from './record.ts';
import { settledNotice } from '../resource/notice.ts';
import { call } from '../resource/notice.fixture.ts';
import { RestError } from '../error.ts';

function recordOf(): QueryRecord {
  return new QueryRecords().of(invocation());
}

test('it knows its newest answer, and when the server gave it', () => {
  vi.setSystemTime(10_000);
  const record = recordOf();
  expect([record.newest, record.held]).toEqual([null, undefined]);
  tell(record, 1, ['a'], { servedFrom: 'cache', stale: true, age: 3 });
  expect(record.newest).toMatchObject({ servedFrom: 'cache', stale: true, answeredAt: 7_000 });
  expect(record.held).toEqual({ received: ['a'], isEmpty: false, size: 10 });
  vi.useRealTimers();
});

test('an answer to an earlier call changes nothing', () => {
  const record = recordOf();
  tell(record, 2, 'new');
  expect(tell(record, 1, 'old').novelty).toBe('older');
  expect(record.held?.received).toBe('new');
  expect(fail(record, 1).novelty).toBe('older');
  expect(record.error).toBeNull();
});

test('an answer without a body keeps the response before', () => {
  const record = recordOf();
  tell(record, 1, null);
  expect(record.held?.received).toBeNull();
  tell(record, 2, ['a']);
  tell(record, 3, null);
  expect(record.held?.received).toEqual(['a']);
});

test('a response that stayed with the worker leaves none in the page, unless it is the same', () => {
  const record = recordOf();
  const [one, other] = [1, 2].map((number) => ({ revision: { lineage: '1-a', number } }));
  tell(record, 1, ['a'], one);
  told(record, telling(2, answered(null, one), { isWhole: false }));
  expect(record.held?.received).toEqual(['a']);
  told(record, telling(3, answered(null, other), { isWhole: false }));
  expect([record.held, record.newest?.revision]).toEqual([undefined, other?.revision]);
});

describe('a failure', () => {
  test('is known until the next success, and an abort is none', () => {
    const record = recordOf();
    fail(record, 1);
    expect(record.error?.code).toBe('offline');
    tell(record, 2, 'a');
    expect(record.error).toBeNull();
    fail(record, 3, 'aborted');
    expect(record.error).toBeNull();
  });

  test('of a schema is an answer to those who ask without it', () => {
    const record = recordOf();
    const failure = { code: 'schema', message: 'no title', issues: [] } as const;
    const notice = { ...settledNotice(call(1), answered(['a'])), type: 'error' as const };
    told(record, telling(1, answered(['a']), { notice: { ...notice, error: new RestError(failure) } }));
    expect([record.error, record.held?.received]).toEqual([null, ['a']]);
  });
});

describe('who watches', () => {
  test('hears of requests and of their ends, and of nothing after it has left', () => {
    const record = recordOf();
    const watcher = new Watcher();
    const leave = record.watch(watcher);
    const end = record.begin();
    expect(record.isFetching).toBe(true);
    end();
    end();
    expect(record.isFetching).toBe(false);
    tell(record, 1, 'a');
    leave();
    leave();
    tell(record, 2, 'b');
    expect(watcher.heard).toEqual(['changed', ['success', 'a', 'news']]);
  });

  test('may leave while it is told', () => {
    const record = recordOf();
    const second = new Watcher();
    const leave: (() => void)[] = [];
    record.watch({ hear: () => leave.forEach((each) => each()), changed: () => {}, ended: () => {} });
    leave.push(record.watch(second));
    tell(record, 1, 'a');
    tell(record, 2, 'b');
    expect(second.heard.length).toBeLessThan(2);
  });
});

test('a record that has ended stands for nothing, and what still comes for it does not count', () => {
  const records = new QueryRecords();
  const asked = invocation();
  const record = records.of(asked);
  const watcher = new Watcher();
  record.watch(watcher);
  tell(record, 1, 'secret');
  records.empty();
  expect([record.newest, record.held, record.isEnded]).toEqual([null, undefined, true]);
  expect(tell(record, 2, 'late').novelty).toBe('older');
  expect([record.newest, record.held]).toEqual([null, undefined]);
  expect(watcher.heard.at(1)).toBe('ended');
  expect(records.of(asked)).toBe(record);
  expect(records.of(invocation())).not.toBe(record);
});

test('what an action has told last is remembered for that action alone', () => {
  const record = recordOf();
  const rows = [{ id: 1 }];
  tell(record, 1, rows, { changed: true });
  expect(tell(record, 2, rows, { changed: true }).notice.changed).toBe(false);
  const other = telling(3, answered(rows, { changed: true }), { declared: {} });
  expect(told(record, other).notice.changed).toBe(true);
  expect(record.viewOf(ACTION).response).toBe(rows);
});
