import { expect, test } from 'vitest';
import { ReadingRoom } from './bounds.ts';
import type { Reader } from './bounds.ts';

/** Which of them still have a place after one of them has taken so many bytes more. */
function after(reader: Reader, bytes: number, ...all: readonly Reader[]): boolean[] {
  reader.take(bytes);
  return all.map(({ evicted }) => !evicted.aborted);
}

test('where answers take too much together, the largest is given up at once, and the others are not', () => {
  const room = new ReadingRoom(100);
  const [large, small, other] = [room.enter(), room.enter(), room.enter()];
  expect(after(large, 60, large)).toEqual([true]);
  expect(after(small, 20, large, small)).toEqual([true, true]);
  expect(after(other, 15, large, small, other)).toEqual([true, true, true]);
  expect(after(small, 10, large, small, other)).toEqual([false, true, true]);
  expect(after(other, 40, large, small, other)).toEqual([false, true, true]);
});

test('one that takes too much itself is given up', () => {
  const room = new ReadingRoom(100);
  const [endless, small] = [room.enter(), room.enter()];
  small.take(10);
  endless.take(50);
  expect(after(endless, 40, endless, small)).toEqual([true, true]);
  expect(after(endless, 1, endless, small)).toEqual([false, true]);
  expect(after(small, 90, endless, small)).toEqual([false, true]);
});

test('what has been read makes room', () => {
  const room = new ReadingRoom(100);
  for (let each = 0; each < 10; each += 1) {
    const reader = room.enter();
    expect(after(reader, 90, reader)).toEqual([true]);
    reader.leave();
  }
});
