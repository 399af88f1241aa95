import { expect, test } from 'vitest';
import { forbidsStoring } from './storable.ts';

test('a Cache-Control with a quote that is never closed takes no time worth mentioning', () => {
  const value = `no-store="${'\\"'.repeat(30_000)}`;
  const begun = performance.now();
  forbidsStoring([['Cache-Control', value]]);
  expect(performance.now() - begun).toBeLessThan(200);
});

test.each(['ext="x, no-store', 'ext="x\\", no-store', 'ext="x, no-store, y\\'])(
  'no-store counts after a quote that is never closed: %s',
  (value) => {
    expect(forbidsStoring([['Cache-Control', value]])).toBe(true);
  },
);
