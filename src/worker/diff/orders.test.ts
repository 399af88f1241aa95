import { expect, test } from 'vitest';
import { Orders } from './arrange.ts';

/** Orders, and the keys that one was made for. */
function stage(): { orders: Orders; made: string[]; get: (key: string) => Promise<Uint32Array> } {
  const orders = new Orders();
  const made: string[] = [];
  const get = (key: string): Promise<Uint32Array> =>
    orders.get(key, async () => {
      made.push(key);
      return new Uint32Array(1);
    });
  return { orders, made, get };
}

test('an order is made once, however many ask for it meanwhile', async () => {
  const { orders, made, get } = stage();
  await Promise.all([get('a'), get('a')]);
  await get('a');
  expect(made).toEqual(['a']);
  orders.delete('a');
  await get('a');
  expect(made).toEqual(['a', 'a']);
});

test('those that were used last are kept', async () => {
  const { made, get } = stage();
  const keys = Array.from({ length: 16 }, (_, at) => String(at));
  for (const key of [...keys, '0', 'new', '0', '2']) await get(key);
  expect(made).toEqual([...keys, 'new']);
  await get('1');
  expect(made.at(-1)).toBe('1');
});

test('what failed is tried again', async () => {
  const { orders, get } = stage();
  await expect(orders.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await get('a')).toHaveLength(1);
});
