import { expect, test } from 'vitest';
import { Deferred } from '../platform/waiting.ts';
import { KeptOpen } from './sealed-transaction.ts';

/** Requests of a transaction that are answered a turn of the event loop later. */
function asked(): { readonly ask: () => Promise<void>; readonly count: () => number; end: Error | null } {
  let count = 0;
  const requests = {
    ask: async (): Promise<void> => {
      count += 1;
      await new Promise((resolve) => void setImmediate(resolve));
      if (requests.end) throw requests.end;
    },
    count: () => count,
    end: null as Error | null,
  };
  return requests;
}

test('nothing is asked where nothing is waited for', async () => {
  const { ask, count } = asked();
  await new KeptOpen(ask).turn();
  expect(count()).toBe(0);
});

test('it is asked until the work is done, and no longer', async () => {
  const { ask, count } = asked();
  const open = new KeptOpen(ask);
  const work = new Deferred<string>();
  setTimeout(() => work.resolve('done'), 20);
  expect(await open.until(work.promise)).toBe('done');
  const asks = count();
  expect(asks).toBeGreaterThan(1);
  await new Promise((resolve) => void setTimeout(resolve, 20));
  expect(count()).toBe(asks);
});

test('results come in the order in which the work was given', async () => {
  const open = new KeptOpen(asked().ask);
  const slow = new Deferred<string>();
  const order: string[] = [];
  const all = [
    open.until(slow.promise).then((each) => order.push(each)),
    open.until(Promise.resolve('quick')).then((each) => order.push(each)),
    open.turn().then(() => order.push('turn')),
  ];
  setTimeout(() => slow.resolve('slow'), 10);
  await Promise.all(all);
  expect(order).toEqual(['slow', 'quick', 'turn']);
});

test('work that fails, and a transaction that ends, are told', async () => {
  const requests = asked();
  const open = new KeptOpen(requests.ask);
  await expect(open.until(Promise.reject(new Error('mistake')))).rejects.toThrow('mistake');
  const never = open.until(new Promise(() => {}));
  requests.end = new Error('aborted');
  await expect(never).rejects.toThrow('aborted');
});
