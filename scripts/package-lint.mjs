// Checks the tarball that users install: what is in it (nothing but the built library), its package.json (publint)
// and whether its types resolve (attw). Needs a built dist/.

import { pack } from './pack.mjs';
import { Stop, run, runAsProgram, tool } from './run.mjs';

const BELONGS = /^(dist\/.+\.(js|d\.ts)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
/** Files to copy, which nobody imports for their types. */
const TO_COPY = ['service-worker.js', 'offstage.global.js', 'offstage.in-page.js'];
const TESTS = /\.(test|fixture|spec)\./;

/** @returns {Promise<import('./pack.mjs').Tarball>} */
export async function checkPackage() {
  const tarball = await pack();
  const strays = tarball.files.filter((path) => !BELONGS.test(path) || TESTS.test(path));
  if (strays.length > 0) throw new Stop(`These do not belong into the package: ${strays.join(', ')}`);
  await check('publint', ['run', tarball.path, '--strict']);
  await check('attw', [tarball.path, '--profile', 'esm-only', '--exclude-entrypoints', ...TO_COPY]);
  return tarball;
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
async function check(name, args) {
  const { code, output } = await run(tool(name), args);
  if (code !== 0) throw new Stop(`${output}\n${name} finds fault with the package: see above.`);
}

await runAsProgram(import.meta.url, async () => {
  const { files, size } = await checkPackage();
  console.log(`The package is fine: ${files.length} files, ${Math.round(size / 1024)} KiB packed.`);
});
