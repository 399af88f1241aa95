// `npm run fleet -- [scenario ...]`: builds the simulation of bench/fleet and runs it. docs/fleet has the options.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './build.mjs';
import { ROOT, Stop, runAsProgram } from './run.mjs';
import { setup } from './setup.mjs';

await runAsProgram(import.meta.url, async () => {
  await setup();
  await bundle('fleet');
  /** @type {{ runFleet: (args: readonly string[], folder: string) => Promise<boolean> }} */
  const { runFleet } = await import(pathToFileURL(join(ROOT, '.cache', 'fleet.js')).href);
  const kept = await runFleet(process.argv.slice(2), join(ROOT, 'docs', 'fleet')).catch((error) => {
    // A wrong argument needs no stack trace.
    throw error instanceof RangeError || error instanceof TypeError ? new Stop(error.message) : error;
  });
  process.exitCode = kept ? 0 : 1;
});
