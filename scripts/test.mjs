// `npm test`: sets up what is missing, then checks everything. Each step runs even when another failed, except
// where it would need what a failed build did not make. The last line is `N passed, N failed`.
//
// `npm test -- types unit` runs only the steps named, and the build where they stand on it.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkProse } from './prose.mjs';
import { ROOT, Stop, run, runAsProgram, tool } from './run.mjs';
import { setup } from './setup.mjs';
import { tallyOfCheck, tallyOfPlaywright, tallyOfVitest } from './tally.mjs';
import { checkTypesBudget } from './types-budget.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */
/** @typedef {Tally & { output?: string }} Result */

/** @type {Record<string, () => Promise<Result>>} */
const STEPS = {
  build: () => check('node', ['scripts/build.mjs', '--all']),
  types: () => check(tool('tsc'), ['-b']),
  'types-budget': async () => ({ ...tallyOfCheck(0), remarks: [await checkTypesBudget()] }),
  lint: () => check(tool('oxlint'), ['--type-aware', '--deny-warnings']),
  format: () => check(tool('prettier'), ['--check', '.']),
  prose: async () => ({ ...tallyOfCheck(0), remarks: [await checkProse()] }),
  'size-budget': sizeBudget,
  'package-lint': () => check('node', ['scripts/package-lint.mjs']),
  unit,
  e2e,
};

/** Steps of one line run one after the other, the two lines of a row side by side, the rows in order. */
const PLAN = [
  [['build', 'types', 'types-budget', 'lint', 'size-budget', 'package-lint', 'prose'], ['unit']],
  [['e2e'], ['format']],
];

/** Steps that stand on what `build` made. */
const NEED_BUILD = ['size-budget', 'package-lint', 'e2e'];
const NOTHING_BUILT = { passed: 0, failed: 1, remarks: ['not run: nothing was built'] };

/**
 * @param {readonly string[]} wanted
 * @returns {Promise<Tally>}
 */
async function test(wanted) {
  /** @type {Map<string, Result>} */
  const results = new Map();
  for (const row of PLAN) {
    const lines = row.map((line) => line.filter((name) => wanted.includes(name)));
    await Promise.all(lines.map((line) => runLine(line, results)));
  }
  const sum = (/** @type {'passed' | 'failed'} */ which) =>
    [...results.values()].reduce((total, result) => total + result[which], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

/**
 * @param {readonly string[]} line
 * @param {Map<string, Result>} results
 */
async function runLine(line, results) {
  for (const name of line) {
    const senseless = NEED_BUILD.includes(name) && (results.get('build')?.failed ?? 0) > 0;
    results.set(name, await step(name, senseless ? async () => NOTHING_BUILT : STEPS[name]));
  }
}

/**
 * Takes the time of a step and tells how it went; a step that breaks down has failed.
 *
 * @param {string} name
 * @param {() => Promise<Result>} work
 */
async function step(name, work) {
  const started = performance.now();
  const result = await work().catch((error) => ({ ...tallyOfCheck(1), output: String(error) }));
  tell(name, result, performance.now() - started);
  return result;
}

/**
 * @param {string} name
 * @param {Result} result
 * @param {number} milliseconds
 */
function tell(name, { passed, failed, remarks = [], output = '' }, milliseconds) {
  if (failed > 0 && output !== '') console.log(`\n---- ${name}\n${output.trimEnd()}\n----\n`);
  const counted = passed + failed > 1 ? [`${passed} passed, ${failed} failed`] : [];
  const notes = [...counted, ...remarks].map((note) => ` (${note})`).join('');
  console.log(`${failed > 0 ? 'FAIL' : '  ok'} ${name}${notes} in ${(milliseconds / 1000).toFixed(1)} s`);
}

/** In a process of its own: vite says in the environment that it makes a production build. */
async function sizeBudget() {
  const { code, output } = await run('node', ['scripts/size-budget.mjs']);
  const told = output.split('\n').flatMap((line) => /^(\S.* kB of [0-9.]+ kB)/.exec(line)?.[1] ?? []);
  return { ...tallyOfCheck(code), output, remarks: [told.join(', ')] };
}

async function unit() {
  const report = join(ROOT, '.cache', 'unit.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  return count(report, tallyOfVitest, () => run(tool('vitest'), ['run', ...reporters]));
}

/** Shown as it goes, for it takes longest and runs alone. */
async function e2e() {
  const report = join(ROOT, '.cache', 'e2e.json');
  return count(report, tallyOfPlaywright, () =>
    run(tool('playwright'), ['test', '--config', 'e2e'], { show: true }),
  );
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @returns {Promise<Result>}
 */
async function check(command, args) {
  const { code, output } = await run(command, args);
  return { ...tallyOfCheck(code), output };
}

/**
 * @template Report
 * @param {string} path Where the runner leaves its report.
 * @param {(report: Report, exitCode: number) => Tally} tally
 * @param {() => Promise<import('./run.mjs').Run>} runTests
 * @returns {Promise<Result>}
 */
async function count(path, tally, runTests) {
  await rm(path, { force: true });
  const { code, output } = await runTests();
  const report = await readFile(path, 'utf8').catch(() => null);
  if (report === null) return { ...tallyOfCheck(1), output, remarks: ['the runner left no report'] };
  return { ...tally(JSON.parse(report), code), output };
}

/** @param {readonly string[]} named */
function withBuild(named) {
  return named.some((name) => NEED_BUILD.includes(name)) ? ['build', ...named] : named;
}

await runAsProgram(import.meta.url, async () => {
  const named = process.argv.slice(2);
  const unknown = named.find((name) => !(name in STEPS));
  if (unknown) throw new Stop(`There is no step ${unknown}: take ${Object.keys(STEPS).join(', ')}.`);
  const wanted = named.length === 0 ? Object.keys(STEPS) : withBuild(named);
  const ready = await step('setup', () =>
    setup({ browsers: wanted.includes('e2e') }).then(() => tallyOfCheck(0)),
  );
  const { passed, failed } = ready.failed > 0 ? ready : await test(wanted);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
});
