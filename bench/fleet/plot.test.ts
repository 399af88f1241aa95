import { describe, expect, test } from 'vitest';
import { svgOf } from './plot.ts';
import type { Plot } from './plot.ts';

const PLOT: Plot = {
  title: 'The server is down',
  x: { label: 'seconds', from: -10, to: 90 },
  y: { label: 'load', from: 0, to: 4 },
  shade: { from: 0, to: 50, label: 'outage' },
  curves: [
    { name: 'one', values: [0, 4, 2] },
    { name: 'other', values: [1, 1] },
  ],
};

/** What stands in the texts of a class that are anchored so. */
function texts(anchor: string): string[] {
  return Array.from(
    svgOf(PLOT).matchAll(new RegExp(`text-anchor="${anchor}"[^>]*>([^<]*)<`, 'g')),
    ([, text = '']) => text,
  );
}

test('a curve goes from the left to the right, and higher is further up', () => {
  expect(svgOf(PLOT)).toContain('<path class="c0" d="M56 292L343 40L630 166"/>');
});

test('the first curve is drawn over the others', () => {
  const svg = svgOf(PLOT);
  expect(svg.indexOf('<path class="c1" d="M56')).toBeLessThan(svg.indexOf('<path class="c0" d="M56'));
});

test('axes have round numbers and say what they count', () => {
  expect(texts('middle')).toEqual(['0', '20', '40', '60', '80', 'seconds', 'load']);
  expect(texts('end')).toEqual(['0×', '1×', '2×', '3×', '4×']);
});

describe('what was wrong is shaded for as long as it was', () => {
  test.each([
    [50, 'x="113.4" y="40" width="287"'],
    [0, 'x="113.4" y="40" width="1"'],
  ])('%i s', (to, place) => {
    const svg = svgOf({ ...PLOT, shade: { ...PLOT.shade, to } });
    expect(svg).toContain(`<rect class="shade" ${place}`);
  });
});

test('every curve is named, and the plot has colours for the dark', () => {
  expect(texts('start')).toEqual(['The server is down', 'outage', 'one', 'other']);
  expect(svgOf(PLOT)).toContain('prefers-color-scheme: dark');
});
