// `npm run bench -- [name ...]`: ours beside other libraries, in real Chromium. bench/README.md has the options.

import { wishOf } from '../bench/plan.mjs';
import { readyLibrary } from './build.mjs';
import { Stop, runAsProgram } from './run.mjs';
import { setup } from './setup.mjs';

await runAsProgram(import.meta.url, async () => {
  const args = process.argv.slice(2);
  const wish = wishOf(args);
  await setup({ browsers: true });
  await readyLibrary();
  const { runBench } = await import('../bench/main.mjs');
  const faults = await runBench(
    wish,
    ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
  );
  if (faults.length > 0) throw new Stop(`Not to be trusted:\n- ${faults.join('\n- ')}`);
});
