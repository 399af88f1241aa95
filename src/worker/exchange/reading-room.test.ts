import { expect, test } from 'vitest';
import { ReadingRoom } from './reading-room.ts';

test('where answers take too much together, the largest is given up, and the others are not', () => {
  const room = new ReadingRoom(100);
  const [large, small, other] = [room.enter(), room.enter(), room.enter()];
  expect([large.take(60), small.take(20), other.take(15)]).toEqual([true, true, true]);
  expect(small.take(10)).toBe(true);
  expect(large.take(1)).toBe(false);
  expect([small.take(10), other.take(40)]).toEqual([true, true]);
});

test('one that takes too much itself hears so at once', () => {
  const room = new ReadingRoom(100);
  const [endless, small] = [room.enter(), room.enter()];
  small.take(10);
  expect([endless.take(50), endless.take(40), endless.take(1)]).toEqual([true, true, false]);
  expect(small.take(90)).toBe(true);
});

test('what has been read makes room', () => {
  const room = new ReadingRoom(100);
  for (let each = 0; each < 10; each += 1) {
    const reader = room.enter();
    expect(reader.take(90)).toBe(true);
    reader.leave();
  }
});
