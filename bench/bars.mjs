// Bars as SVG, in the colours of bench/fleet/plot.ts.

import { brief } from './figures.mjs';

/**
 * @typedef {object} Chart
 * @property {string} file Without its ending.
 * @property {string} title
 * @property {string} unit
 * @property {'log' | 'linear'} [scale] Figures that differ by powers of ten are shown by their logarithm, which is said.
 * @property {readonly { name: string, bars: readonly { name: string, value: number }[] }[]} groups
 */

const WIDTH = 760;
/** What stands before the bars, at the least, and how wide a letter of it is at the most. */
const LEFT = 130;
const LETTER = 7;
const RIGHT = WIDTH - 80;
const BAR = 18;
const GAP = 26;

const STYLE = `
  .ground { fill: #fff } .ink { fill: #222 } .soft { fill: #555 } .grid { stroke: #ddd } .peer { fill: #9aa5b1 }
  .own { fill: #0b6e4f } text { font: 12px system-ui, sans-serif } .title { font-size: 14px; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #14171a } .ink { fill: #e8e8e8 } .soft { fill: #a8adb3 } .grid { stroke: #33383d }
    .peer { fill: #5c6670 } .own { fill: #3ddc97 }
  }`;

/** @param {Chart} chart */
export function svgOf({ title, unit, groups, scale = 'log' }) {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value)).filter((value) => value > 0);
  const axis = scale === 'log' ? logAxis(values) : linearAxis(values);
  const names = groups.flatMap(({ bars }) => bars.map(({ name }) => name.length));
  const left = Math.max(LEFT, 16 + LETTER * Math.max(0, ...names));
  const parts = [];
  let y = 44;
  for (const { name, bars } of groups) {
    if (name !== '') parts.push(text(left, y + 12, name, 'ink'));
    y += name === '' ? 0 : BAR + 2;
    for (const bar of bars) {
      const width = bar.value > 0 ? Math.max(1, round((RIGHT - left) * axis.place(bar.value))) : 0;
      parts.push(
        text(left - 8, y + 12, bar.name, 'soft', 'end'),
        `<rect class="${bar.name.startsWith('Offstage') || bar.name === 'offstage' ? 'own' : 'peer'}" x="${left}" y="${y + 1}" width="${width}" height="${BAR - 4}"/>`,
        text(left + width + 6, y + 12, Number.isFinite(bar.value) ? brief(bar.value) : 'failed', 'ink'),
      );
      y += BAR;
    }
    y += GAP - BAR / 2;
  }
  const lines = axis.ticks.flatMap((value) => {
    const x = round(left + (RIGHT - left) * axis.place(value));
    return [
      `<line class="grid" x1="${x}" y1="40" x2="${x}" y2="${y - 12}"/>`,
      text(x, y + 4, String(value), 'soft', 'middle'),
    ];
  });
  const height = y + 28;
  const note = scale === 'log' ? `${unit}, logarithmic` : unit;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="ground" width="${WIDTH}" height="${height}"/>`,
    text(left, 24, title, 'ink title'),
    ...lines,
    ...parts,
    text((left + RIGHT) / 2, height - 8, note, 'soft', 'middle'),
    '</svg>',
    '',
  ].join('\n');
}

/** @param {readonly number[]} values */
function logAxis(values) {
  const from = Math.floor(Math.log10(Math.min(...values, 1)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values, 1))));
  return {
    place: (/** @type {number} */ value) => Math.max(0, (Math.log10(value) - from) / (to - from)),
    ticks: Array.from({ length: to - from + 1 }, (_, index) => Number((10 ** (from + index)).toPrecision(1))),
  };
}

/** @param {readonly number[]} values */
function linearAxis(values) {
  const most = Math.max(...values, 1);
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [0.2, 0.5, 1, 2].map((factor) => factor * power).find((each) => most / each <= 6) ?? power;
  const to = Math.ceil(most / step) * step;
  return {
    place: (/** @type {number} */ value) => value / to,
    ticks: Array.from({ length: Math.round(to / step) + 1 }, (_, index) =>
      Number((index * step).toPrecision(4)),
    ),
  };
}

function text(x, y, content, style, anchor = 'start') {
  return `<text class="${style}" x="${x}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

function escaped(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function round(value) {
  return Math.round(value * 10) / 10;
}
