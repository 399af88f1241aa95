import { expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { answered, invocation } from '../session/invocation.fixture.ts';
import { Watcher, tell, telling, told } from './record.fixture.ts';
import { QueryRecords } from './records.ts';

function asking(id: number): Invocation {
  return invocation({ params: [['id', String(id)]] });
}

function upload(): Invocation {
  return invocation({ body: { kind: 'bytes', bytes: new ArrayBuffer(1) } });
}

test('all that ask the same share one record', () => {
  const records = new QueryRecords();
  expect(records.of(asking(1))).toBe(records.of(asking(1)));
  expect(records.of(asking(1))).not.toBe(records.of(asking(2)));
});

test('nothing shares what is asked with bytes, but for the same invocation', () => {
  const records = new QueryRecords();
  const one = upload();
  expect(records.of(one)).toBe(records.of(one));
  expect(records.of(one)).not.toBe(records.of(upload()));
});

test('of those that nobody watches the last thousand are kept', () => {
  const records = new QueryRecords();
  const first = records.of(asking(0));
  for (let id = 1; id < LIMITS.results; id += 1) records.of(asking(id));
  expect(records.of(asking(0))).toBe(first);
  const second = records.of(asking(1));
  for (let id = 2; id <= LIMITS.results; id += 1) records.of(asking(id));
  expect(records.of(asking(1))).toBe(second);
  expect(records.of(asking(0))).not.toBe(first);
});

test('one that is watched is kept however many others there are, and again after that', () => {
  const records = new QueryRecords();
  const record = records.of(asking(0));
  const leave = record.watch(new Watcher());
  for (let id = 1; id <= LIMITS.results; id += 1) records.of(asking(id));
  expect(records.of(asking(0))).toBe(record);
  leave();
  expect(records.of(asking(0))).toBe(record);
});

test('one that was dropped is the record of its query again, unless there is another by now', () => {
  const records = new QueryRecords();
  const [one, other] = [asking(0), asking(0)];
  const record = records.of(one);
  for (let id = 1; id <= LIMITS.results; id += 1) records.of(asking(id));
  expect(records.of(one)).toBe(record);
  for (let id = 1; id <= LIMITS.results; id += 1) records.of(asking(id));
  const next = records.of(other);
  expect(next).not.toBe(record);
  expect(records.of(one)).toBe(next);
});

test('responses of those that nobody watches are kept up to so many bytes', () => {
  const records = new QueryRecords();
  const large = LIMITS.resultBytes / 2 - 2_000;
  const all = [1, 2, 3].map((id) => records.of(asking(id)));
  for (const [id, record] of all.entries()) told(record, telling(id, answered('a'), { size: large }));
  expect(all.map(({ held }) => held?.received)).toEqual([undefined, 'a', 'a']);
});

test('the response of a watched record is kept whatever its size', () => {
  const records = new QueryRecords();
  const record = records.of(asking(1));
  const leave = record.watch(new Watcher());
  told(record, telling(1, answered('a'), { size: LIMITS.resultBytes * 2 }));
  expect(record.held?.received).toBe('a');
  leave();
  expect(record.held).toBeUndefined();
  tell(record, 2, 'b');
  expect(record.held?.received).toBe('b');
});
