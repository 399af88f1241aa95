// Has the compiler read an app of 200 described resources against dist/, and holds what it did for that against a
// budget. Instantiations are counted, not timed: the same sources make the same number on every machine.
//
// `node scripts/types-budget.mjs`

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, Stop, run, runAsProgram, tool } from './run.mjs';

const RESOURCES = 200;
/** About one and a half times what was measured (744,000 with TypeScript 7.0.2). */
const BUDGET = 1_100_000;
const FOLDER = join(ROOT, '.cache', 'types-budget');

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    module: 'ESNext',
    moduleResolution: 'bundler',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
  },
  files: ['app.ts'],
};

/** Four actions, and each kind of use of each: what is not used is not worked out. */
const resource = (/** @type {number} */ n) => `
interface Row${n} { readonly id: number; readonly title${n}: string }
const r${n} = new Resource({
  get: { method: 'GET', url: '/r${n}/{id}/{size=medium}{?page,tags*}', check: { id: Resource.REQUIRED }, response: Resource.type<Row${n}>() },
  list: { method: 'GET', url: '/r${n}{?q,page=1,limit:3,filter.by,sort*}', response: Resource.type<readonly Row${n}[]>() },
  put: { method: 'PUT', url: '/r${n}/{id}', check: { id: /^\\d+$/, version: (value) => value !== '' } },
  del: { method: 'DELETE', url: '/r${n}/{+path}{#part}{/way*}{;matrix}{&more}', timeout: ${n + 1} },
});
r${n}.list({ q: 'a', 'filter.by': ['b'] });
r${n}.put({ id: ${n}, version: 1 }, { title: 'a' });
r${n}.del();
r${n}.poll('list', { page: 2 }, { interval: 5_000 });
r${n}.longPoll('get', { id: ${n} });
r${n}.invoke('del', { path: 'a/b' });
r${n}.addListener('getSuccess', ({ response }) => response.title${n});
r${n}.addEventListener('success', (event) => event.response);
r${n}.result(r${n}.get({ id: ${n} })).then(({ title${n} }) => title${n});
new RestStore(r${n}, 'list').subscribe((rows) => rows?.[0]?.title${n});
`;

/** Returns what was measured; throws a `Stop` where that is over the budget. */
export async function checkTypesBudget() {
  await writeApp();
  const declarations = await run(tool('tsc'), ['-b', 'src/main']);
  if (declarations.code !== 0) throw new Stop(`${declarations.output}\nThe types do not fit: see above.`);
  // Several checkers would each work out what they share.
  const args = ['-p', FOLDER, '--extendedDiagnostics', '--checkers', '1'];
  const { code, output } = await run(tool('tsc'), args);
  if (code !== 0) throw new Stop(`${output}\nThe app of ${RESOURCES} resources does not compile: see above.`);
  const [instantiations, checkTime] = [figure(output, 'Instantiations'), figure(output, 'Check time')];
  const told = `${RESOURCES} resources: ${instantiations} of ${BUDGET} instantiations, checked in ${checkTime} s`;
  if (instantiations > BUDGET) throw new Stop(`${told}\nThe types have become dear: see src/main/resource.`);
  return told;
}

async function writeApp() {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const text = [
    `import { Resource, RestStore } from 'offstage';`,
    ...Array.from({ length: RESOURCES }, (_, n) => resource(n)),
  ];
  await writeFile(join(FOLDER, 'app.ts'), text.join('\n'));
  await writeFile(join(FOLDER, 'tsconfig.json'), JSON.stringify(TSCONFIG));
}

/**
 * @param {string} output
 * @param {string} name
 */
function figure(output, name) {
  const found = new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(output)?.[1];
  if (found === undefined) throw new Stop(`${output}\nThe compiler no longer tells '${name}': see above.`);
  return Number(found);
}

await runAsProgram(import.meta.url, async () => console.log(await checkTypesBudget()));
