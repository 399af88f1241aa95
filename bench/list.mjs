// `node bench/list.mjs`: what the list widget costs the main thread, with 100,000 rows that are in memory already.
// The browser's own layout of what it renders is included, painting is not.

import { join } from 'node:path';
import { readyChromium } from '../scripts/chromium.mjs';
import { ROOT, Stop, runAsProgram } from '../scripts/run.mjs';

/** What the first render and one changed row may take, in milliseconds. */
const BUDGET = 16;
const BUDGETED = ['first render', 'one row changed, in sight', 'one row changed, out of sight'];

async function measure() {
  const { build } = await import('vite');
  const { chromium } = await import('playwright-core');
  const made = await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    build: { write: false, rolldownOptions: { input: join(ROOT, 'bench', 'list-page.js') } },
  });
  const [{ code }] = 'output' in made ? made.output : [{ code: '' }];
  const browser = await chromium.launch({ executablePath: await readyChromium() });
  try {
    const first = [];
    for (let round = 0; round < 15; round += 1) first.push(await inPage(browser, code, 'measureFirst()'));
    const sorted = first.toSorted((a, b) => a - b);
    // Hardly any of it depends on the number of rows; it varies with whatever else the machine does.
    const cold = {
      step: 'first list of a new page: compiled, laid out',
      median: sorted[7],
      worst: sorted[14],
      elements: 0,
    };
    return [cold, ...(await inPage(browser, code, 'measure()'))];
  } finally {
    await browser.close();
  }
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {string} code
 * @param {string} expression
 */
async function inPage(browser, code, expression) {
  const page = await browser.newPage();
  await page.setContent('<!doctype html><title>List</title><p>A page that has shown some text before.</p>');
  await page.addScriptTag({ content: code, type: 'module' });
  await page.waitForFunction(() => 'measure' in globalThis);
  const result = await page.evaluate(expression);
  await page.close();
  return result;
}

await runAsProgram(import.meta.url, async () => {
  const results = await measure();
  console.log('median    worst  elements  step (milliseconds of 15 rounds, 100,000 rows)');
  for (const { step, median, worst, elements } of results) {
    const [most, least] = [median, worst].map((each) => each.toFixed(1).padStart(6));
    console.log(`${most}   ${least}  ${String(elements).padStart(8)}  ${step}`);
  }
  const over = results.filter(({ step, median }) => BUDGETED.includes(step) && median > BUDGET);
  if (over.length > 0) throw new Stop(`Over ${BUDGET} ms: ${over.map(({ step }) => step).join(', ')}`);
});
