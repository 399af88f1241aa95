import { expect, test } from 'vitest';
import { svgOf } from './bars.mjs';
import { sectionOf, sectionsIn, tableOf } from './report.mjs';

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

test('The sections of a page are found again by their titles', () => {
  const report = {
    name: 'a',
    command: 'npm run a',
    seconds: 7.2,
    how: 'how',
    charts: [],
    faults: [],
    raw: null,
  };
  const tables = [{ title: 'T', head: ['a'], rows: [['## b']] }];
  const [one, other] = ['What one costs', 'What another costs'].map((title) =>
    sectionOf({ ...report, title, tables }, { date: '2026-11-24' }),
  );
  const page = `# Benchmarks\n\nwords\n\n${one}\n\n${other}\n`;
  expect([...sectionsIn(page)]).toEqual([
    ['What one costs', one],
    ['What another costs', other],
  ]);
  expect(one).toContain('`npm run a` (7 s, 2026-11-24)');
  expect(sectionsIn('')).toEqual(new Map());
});
