import { expect, test } from 'vitest';
import { inSlices } from './slices.ts';
import type { Ports } from './slices.ts';

/** Every step takes three milliseconds, every pause a hundred. */
function world(): Ports & { readonly pauses: number[]; readonly spend: () => void } {
  let time = 0;
  const pauses: number[] = [];
  return {
    pauses,
    spend: () => void (time += 3),
    now: () => time,
    async pause() {
      pauses.push(time);
      time += 100;
    },
  };
}

function* work(steps: number, spend: () => void): Generator<void, string> {
  for (let step = 0; step < steps; step += 1) {
    spend();
    yield;
  }
  return 'done';
}

test('work pauses once a slice is used up, and not before', async () => {
  const ports = world();
  await expect(inSlices(work(7, ports.spend), ports)).resolves.toBe('done');
  expect(ports.pauses).toEqual([9, 118]);
});

test('short work does not pause', async () => {
  const ports = world();
  await expect(inSlices(work(2, ports.spend), ports)).resolves.toBe('done');
  expect(ports.pauses).toEqual([]);
});

test('a slice may be of another length', async () => {
  const ports = world();
  await inSlices(work(3, ports.spend), ports, 1);
  expect(ports.pauses).toEqual([3, 106, 209]);
});

test('an abort ends it at the next step', async () => {
  const ports = world();
  const abort = new AbortController();
  let steps = 0;
  const spend = (): void => {
    steps += 1;
    if (steps === 4) abort.abort(new Error('no longer wanted'));
    ports.spend();
  };
  await expect(inSlices(work(9, spend), ports, 8, abort.signal)).rejects.toThrow('no longer wanted');
  expect(steps).toBe(4);
});
