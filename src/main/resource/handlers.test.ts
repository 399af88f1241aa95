import { describe, expect, test, vi } from 'vitest';
import { Handlers } from './plain-resource.ts';

test('handlers are told in the order in which they were added, each of its type', () => {
  const handlers = new Handlers<number>();
  const told: string[] = [];
  handlers.add('a', (n) => told.push(`first ${n}`), null, false);
  handlers.add('b', (n) => told.push(`other ${n}`), null, false);
  handlers.add('a', (n) => told.push(`second ${n}`), null, false);
  handlers.tell('a', 1);
  handlers.tell('c', 2);
  expect(told).toEqual(['first 1', 'second 1']);
});

test('a handler is called with its context, and added once with each', () => {
  const handlers = new Handlers<number>();
  const contexts: unknown[] = [];
  function take(this: unknown): void {
    contexts.push(this);
  }
  const [one, other] = [{}, {}];
  for (const context of [one, other, one, undefined, undefined]) handlers.add('a', take, context, false);
  handlers.tell('a', 1);
  handlers.remove('a', take, one);
  handlers.tell('a', 2);
  expect(contexts).toEqual([one, other, undefined, other, undefined]);
});

test('a type is heard as long as it has a handler', () => {
  const handlers = new Handlers<number>();
  const handler = vi.fn<() => void>();
  const heard = [handlers.has('a')];
  handlers.add('a', handler, null, false);
  heard.push(handlers.has('a'), handlers.has('b'));
  handlers.remove('a', handler, null);
  expect([...heard, handlers.has('a')]).toEqual([false, true, false, false]);
});

test('a handler for one time is gone before it is called', () => {
  const handlers = new Handlers<number>();
  const told: number[] = [];
  const again = (n: number): void => {
    told.push(n);
    if (n < 3) handlers.add('a', again, null, true);
  };
  handlers.add('a', again, null, true);
  for (const n of [1, 2, 3, 4]) handlers.tell('a', n);
  expect(told).toEqual([1, 2, 3]);
});

test('one that goes while others are told is told no more, one that comes is told from the next time on', () => {
  const handlers = new Handlers<number>();
  const told: string[] = [];
  const late = (n: number): void => void told.push(`late ${n}`);
  const gone = (n: number): void => void told.push(`gone ${n}`);
  const first = (n: number): void => {
    told.push(`first ${n}`);
    handlers.remove('a', gone, null);
    handlers.add('a', late, null, false);
  };
  handlers.add('a', first, null, false);
  handlers.add('a', gone, null, false);
  handlers.tell('a', 1);
  handlers.tell('a', 2);
  expect(told).toEqual(['first 1', 'first 2', 'late 2']);
});

describe('what a handler throws', () => {
  test('is reported as uncaught and keeps nothing from the others', async () => {
    const uncaught: unknown[] = [];
    const queue = vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) => {
      try {
        task();
      } catch (error) {
        uncaught.push(error);
      }
    });
    const handlers = new Handlers<number>();
    const told: number[] = [];
    handlers.add(
      'a',
      () => {
        throw new Error('broken');
      },
      null,
      false,
    );
    handlers.add('a', (n) => told.push(n), null, false);
    handlers.tell('a', 1);
    queue.mockRestore();
    expect([told, uncaught]).toEqual([[1], [new Error('broken')]]);
  });
});
