import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeHost } from './host.fixture.ts';
import { probe } from './keepalive.ts';
import { fakeTime, pass } from './stage.fixture.ts';

beforeEach(fakeTime);
afterEach(() => {
  vi.useRealTimers();
});

test('a worker that answers is told that the probe wants nothing of it', async () => {
  const host = new FakeHost();
  const sight = probe(host);
  await pass(10);
  expect(await sight).toBe('answers');
  await pass(10);
  expect(host.life.order).toEqual(['greet', 'close']);
});

test('so is one that has not answered in time, and may answer later', async () => {
  const host = new FakeHost();
  host.life.mute = true;
  const sight = probe(host);
  await pass(3_000);
  expect(await sight).toBe('silent');
  await pass(10);
  expect(host.life.order).toEqual(['greet', 'close']);
  expect(host.listeners).toBe(0);
});
