// Checks the tarball that users install: what is in it (nothing but the built library), its package.json (publint)
// whether its types resolve (attw), and the README's links. Needs a built dist/.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pack } from './pack.mjs';
import { ROOT, Stop, run, runAsProgram, tool } from './run.mjs';

const BELONGS = /^(dist\/.+\.(js|js\.map|d\.ts)|package\.json|README\.md|LICENSE|CHANGELOG\.md)$/;
const OURS =
  /^https:\/\/(?:github\.com\/offstage-js\/offstage\/(?:blob|tree)|raw\.githubusercontent\.com\/offstage-js\/offstage)\/main\/([^#]+)/;
const TESTS = /\.(test|fixture|spec)\./;

/** @returns {Promise<import('./pack.mjs').Tarball>} */
export async function checkPackage() {
  const tarball = await pack();
  const strays = tarball.files.filter((path) => !BELONGS.test(path) || TESTS.test(path));
  await checkLinks();
  if (strays.length > 0) throw new Stop(`These do not belong into the package: ${strays.join(', ')}`);
  await check('publint', ['run', tarball.path, '--strict']);
  await check('attw', [tarball.path, '--profile', 'esm-only']);
  return tarball;
}

/** The README is read on the registry's pages, too: its links name the repository, and lead to what is there. */
async function checkLinks() {
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const inline = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const defined = new Map(
    [...readme.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name, link = '']) => [name, link]),
  );
  const named = [...readme.matchAll(/\]\[([^\]]+)\]/g)].map(([, name = '']) => defined.get(name) ?? name);
  const links = [...inline, ...defined.values(), ...named];
  const dead = links.filter((link) => {
    const path = OURS.exec(link)?.[1];
    return path === undefined ? !link.startsWith('https://') : !existsSync(join(ROOT, path));
  });
  if (dead.length > 0)
    throw new Stop(`README.md has links that lead nowhere from outside: ${dead.join(', ')}`);
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
