// `npm run faults -- [name ...]`: sets up and builds what is missing, then lets the fault bench of e2e/faults do
// its worst. docs/faults.md has the options.

import { join } from 'node:path';
import { readyLibrary, readyTestPage } from './build.mjs';
import { readyChromium } from './chromium.mjs';
import { readyFirefox } from './firefox.mjs';
import { ROOT, Stop, runAsProgram } from './run.mjs';
import { setup } from './setup.mjs';

await runAsProgram(import.meta.url, async () => {
  await setup();
  const chromium = await readyChromium();
  await readyLibrary();
  await readyTestPage();
  const { runnerImport } = await import('vite');
  /** @typedef {{ chromium: string, firefox: () => Promise<string> }} Browsers */
  /** @type {{ module: { runBench: (args: readonly string[], browsers: Browsers) => Promise<boolean> } }} */
  const { module } = await runnerImport(join(ROOT, 'e2e', 'faults', 'run.ts'), {
    root: ROOT,
    logLevel: 'warn',
  });
  const browsers = { chromium, firefox: readyFirefox };
  const passed = await module.runBench(process.argv.slice(2), browsers).catch((error) => {
    // A wrong argument needs no stack trace.
    throw error instanceof RangeError || error instanceof TypeError ? new Stop(error.message) : error;
  });
  process.exitCode = passed ? 0 : 1;
});
