// Keeps the release that is built now as the one before (e2e/page/previous): fault row 20 sets its page and its worker
// against the present ones. To be run when the protocol is about to be raised, not otherwise.

import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildLibrary } from './build.mjs';
import { ROOT, runAsProgram } from './run.mjs';
import { setup } from './setup.mjs';

const FOLDER = 'e2e/page/previous';

const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <title>The test page of the release before</title>
  <link rel="icon" href="data:," />
  <script type="module" src="/previous/offstage.js"></script>
</html>
`;

await runAsProgram(import.meta.url, async () => {
  await setup();
  await buildLibrary();
  await rm(join(ROOT, FOLDER), { recursive: true, force: true });
  const { build } = await import('vite');
  await build({
    configFile: join(ROOT, 'vite.config.ts'),
    mode: 'e2e',
    build: { outDir: FOLDER, minify: true },
  });
  // Its pages have a service worker: they never load an engine of their own.
  await rm(join(ROOT, FOLDER, 'in-page.js'));
  await copyFile(join(ROOT, 'dist/service-worker.js'), join(ROOT, FOLDER, 'service-worker.js'));
  await writeFile(join(ROOT, FOLDER, 'index.html'), PAGE);
});
