// The figures as Markdown, which reads as well on a screen.

import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, platform, arch } from 'node:os';
import { join } from 'node:path';
import { svgOf } from './bars.mjs';
import { VERSIONS, ownVersion } from './peers.mjs';

/**
 * @typedef {object} Table
 * @property {string} title
 * @property {readonly string[]} head
 * @property {readonly (readonly string[])[]} rows
 */

/**
 * @typedef {object} Report
 * @property {string} name
 * @property {string} title
 * @property {string} how
 * @property {string} command
 * @property {number} seconds
 * @property {readonly Table[]} tables
 * @property {readonly import('./bars.mjs').Chart[]} charts
 * @property {readonly string[]} faults
 * @property {unknown} raw
 */

/** @param {Table} table The first column stands left, figures stand right. */
export function tableOf({ head, rows }) {
  const widths = head.map((cell, index) =>
    Math.max(3, cell.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells) => {
    const padded = cells.map((cell, index) =>
      index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
    );
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}

/** @param {Report} report */
export function textOf({ title, tables }) {
  return [`\n## ${title}`, ...tables.map((table) => `\n${table.title}\n\n${tableOf(table)}`)].join('\n');
}

/**
 * What the figures hold for.
 *
 * @param {string} browser
 */
export async function circumstances(browser) {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor';
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: `${availableParallelism()} cores of ${model}, ${platform()} ${arch()}`,
    node: process.version,
    browser,
    offstage: await ownVersion(),
    peers: VERSIONS,
  };
}

/**
 * Replaces what was measured in a folder; the sections and charts of other benchmarks stay.
 *
 * @param {string} folder
 * @param {readonly Report[]} reports
 * @param {Awaited<ReturnType<typeof circumstances>>} where
 * @param {string} command
 */
export async function write(folder, reports, where, command) {
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'README.md');
  const before = sectionsIn(await readFile(path, 'utf8').catch(() => ''));
  const sections = new Map([...before, ...reports.map((report) => [report.title, sectionOf(report, where)])]);
  const text = markdownOf([...sections.values()], where, command);
  for (const file of await readdir(folder)) {
    if (file.endsWith('.svg') && !text.includes(`](${file})`)) await rm(join(folder, file));
  }
  for (const chart of reports.flatMap(({ charts }) => charts)) {
    await writeFile(join(folder, `${chart.file}.svg`), svgOf(chart));
  }
  await writeFile(path, text);
}

/**
 * The sections of a page that was written before, by title.
 *
 * @param {string} page
 * @returns {Map<string, string>}
 */
export function sectionsIn(page) {
  const sections = page.split(/^(?=## )/m).slice(1);
  return new Map(sections.map((text) => [text.slice(3, text.indexOf('\n')), text.trimEnd()]));
}

/**
 * @param {readonly string[]} sections
 * @param {Awaited<ReturnType<typeof circumstances>>} where
 * @param {string} command
 */
function markdownOf(sections, where, command) {
  const peers = where.peers.join(', ');
  return `${[
    '# Benchmarks',
    `Offstage ${where.offstage} beside other libraries, in real Chromium. This page is written by \`npm run bench\`, last by \`${command}\`; do not edit it.`,
    `${where.browser}, Node ${where.node}, ${where.machine}. Peers: ${peers}.`,
    'Ours and theirs take turns in the same run; figures are medians of its rounds, each in a browser of its own with an empty profile, driven over a bare DevTools pipe without the Network domain. The data of every page is compared with that of the server, byte for byte; the run fails where it differs. The machine is shared: only figures of one run compare.',
    ...sections,
  ].join('\n\n')}\n`;
}

/**
 * @param {Report} report
 * @param {{ date: string }} where
 */
export function sectionOf({ title, how, command, tables, charts, faults, seconds }, { date }) {
  return [
    `## ${title}`,
    `\`${command}\` (${Math.round(seconds)} s, ${date})`,
    how.replaceAll('\n', ' '),
    ...charts.map((chart) => `![${chart.title}](${chart.file}.svg)`),
    ...tables.flatMap((table) => [`**${table.title}**`, tableOf(table)]),
    ...(faults.length > 0 ? [`**Faults of this run**: ${faults.join(' ')}`] : []),
  ].join('\n\n');
}
