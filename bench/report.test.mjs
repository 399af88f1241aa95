import { expect, test } from 'vitest';
import { svgOf } from './bars.mjs';
import { tableOf } from './report.mjs';

test('A table has its names on the left and its figures on the right', () => {
  const rows = [
    ['Offstage', '5.0'],
    ['fetch', '12'],
  ];
  expect(tableOf({ title: '', head: ['library', 'ms'], rows })).toBe(
    ['| library  |  ms |', '| -------- | --: |', '| Offstage | 5.0 |', '| fetch    |  12 |'].join('\n'),
  );
});

test('A bar of ten times the value is one power of ten longer, and what failed has none', () => {
  const bars = [
    { name: 'Offstage', value: 1 },
    { name: 'a & b', value: 10 },
    { name: 'c', value: 100 },
    { name: 'd', value: Number.NaN },
  ];
  const svg = svgOf({ file: 'a', title: 'A', unit: 'ms', groups: [{ name: 'rows', bars }] });
  const widths = [...svg.matchAll(/<rect class="(?:own|peer)".* width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  );
  expect(widths).toEqual([1, 275, 550, 0]);
  expect(svg).toContain('a &amp; b');
  expect(svg).toContain('failed');
});
