import { expect, test } from 'vitest';
import { Server } from './server.ts';

/** What becomes of a number of requests that come at one time. */
function send(server: Server, count: number, now: number): (number | null)[] {
  return Array.from({ length: count }, () => server.accept(now));
}

test('requests over the capacity wait, each for those before it', () => {
  const server = new Server(10, 5_000);
  expect(send(server, 4, 0)).toEqual([0, 100, 200, 300]);
  expect(server.longestWait).toBe(300);
});

test('the line moves as time passes, and is empty when nobody came for long enough', () => {
  const server = new Server(10, 5_000);
  send(server, 4, 0);
  expect(server.accept(100)).toBe(300);
  expect(server.accept(5_000)).toBe(0);
});

test('what would wait longer than it may is refused, and does not lengthen the line', () => {
  const server = new Server(10, 200);
  expect(send(server, 5, 0)).toEqual([0, 100, 200, null, null]);
  expect(server.refused).toBe(2);
  expect(server.accept(100)).toBe(200);
});

test('requests of the same moment may come in any order', () => {
  const server = new Server(10, 5_000);
  server.accept(100);
  expect(server.accept(90)).toBe(100);
});
