import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  emptyNames,
  forbiddenImports,
  importCycles,
  importsOf,
  isProduct,
  silencers,
  skippedTests,
  weakenedRules,
  type Source,
} from './floors.fixture.ts';

/** What the compiler cannot see (docs/architecture.md, "Floors"). Each check is shown to bite first. */

const ROOT = new URL('../', import.meta.url);

async function sourcesIn(...folders: string[]): Promise<Source[]> {
  const paths = await Promise.all(folders.map(filesIn));
  return Promise.all(
    paths.flat().map(async (path) => ({ path, text: await readFile(new URL(path, ROOT), 'utf8') })),
  );
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(new URL(folder, ROOT), { withFileTypes: true }).catch(() => []);
  const shown = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  const inside = shown.filter((each) => each.isDirectory()).map(({ name }) => filesIn(`${folder}/${name}`));
  const files = shown.filter((each) => each.isFile()).map(({ name }) => `${folder}/${name}`);
  return [...files.filter(isText), ...(await Promise.all(inside)).flat()];
}

function isText(path: string): boolean {
  return /\.(m?[jt]sx?|json|html|css|sh)$/.test(path);
}

const sources = await sourcesIn('src', 'demo', 'e2e', 'scripts', 'bench');
const product = sources.filter(({ path }) => isProduct(path));

const file = (path: string, ...lines: string[]): Source => ({ path, text: lines.join('\n') });

describe('imports are read', () => {
  test.each([
    ["import { a } from './a.ts';", './a.ts', 'value'],
    ["import type { A } from './a.ts';", './a.ts', 'type'],
    ["import a, { type B } from './a.ts';", './a.ts', 'value'],
    ["import {\n  a,\n  b,\n} from './a.ts';", './a.ts', 'value'],
    ["import './a.ts';", './a.ts', 'value'],
    ["export * from './a.ts';", './a.ts', 'value'],
    ["export type { A } from './a.ts';", './a.ts', 'type'],
    ["export { a as b } from './a.ts';", './a.ts', 'value'],
    ["const a = await import('./a.ts');", './a.ts', 'dynamic'],
    ["type A = typeof import('./a.ts');", './a.ts', 'dynamic'],
    ['import * as a from "a";', 'a', 'value'],
  ])('%s', (text, specifier, kind) => {
    expect(importsOf(text)).toEqual([{ specifier, kind }]);
  });

  test('and nothing else is taken for one', () => {
    expect(importsOf("export const a = 'b';\nexport function from(): string {\n  return 'c';\n}")).toEqual(
      [],
    );
  });
});

describe('a floor imports what it stands on', () => {
  test.each([
    ['src/shared/a.ts', 'comlink', 'no package'],
    ['src/shared/a.ts', '../worker/system.ts', 'src/shared alone'],
    ['src/shared/a.ts', '../../demo/a.ts', 'src/shared alone'],
    ['src/worker/a.ts', 'workbox-window', 'comlink, http-cache-semantics, idb, url-template'],
    ['src/worker/a.ts', 'node:fs', 'comlink, http-cache-semantics, idb, url-template'],
    ['src/worker/a.ts', '../main/resource.ts', 'src/shared alone'],
    ['src/main/a.ts', 'idb', 'comlink, workbox-window'],
    ['src/main/a.ts', '../worker/engine.ts', 'src/shared alone'],
    ['src/main/a.ts', 'lit-html', 'comlink, workbox-window'],
    ['src/main/a.ts', './list/list.ts', 'an entry of its own'],
    ['src/main/list/a.ts', 'comlink', 'lit-html'],
    ['src/main/list/a.ts', '../fw/index.ts', 'an entry of its own'],
    ['src/main/index.ts', './fw/index.ts', 'an entry of its own'],
    ['src/main/fw/index.ts', '../website/index.ts', 'an entry of its own'],
    ['src/main/hosts/page.ts', '../../worker/engine.ts', 'src/shared alone'],
    ['src/worker/cache/cache.ts', '../delivery/hub.ts', 'no module but platform, contracts'],
    ['src/worker/install.ts', './delivery/hub.ts', 'only the compose files'],
    ['src/worker/engine/engine.ts', '../cache/cache.ts', 'no module but platform, contracts'],
    ['src/worker/platform/waiting.ts', '../contracts/rule.ts', 'no module but itself'],
    ['src/worker/contracts/rule.ts', '../cache/cache.ts', 'no module but platform'],
    ['src/worker/scheduling/loop.ts', '../loops/loops.ts', 'no module but platform, contracts'],
    ['src/worker/states/publisher.ts', '../feeds/feed.ts', 'no module but platform, contracts, scheduling'],
    ['src/worker/feeds/feed.ts', '../loops/loops.ts', 'no module but platform, contracts, states'],
  ])('%s may not import %s', (path, specifier, reason) => {
    const refused = forbiddenImports(file(path, `import { a } from '${specifier}';`));
    expect(refused).toEqual([expect.stringContaining(reason)]);
  });

  test.each([
    file('src/worker/compose.ts', "import { hub } from './delivery/hub.ts';"),
    file('src/worker/compose-partition.ts', "import { Cache } from './cache/cache.ts';"),
    file('src/worker/engine/engine.ts', "import type { Cache } from '../cache/cache.ts';"),
    file(
      'src/worker/delivery/hub.ts',
      "import type { Clock } from '../platform/system.ts';",
      "import './a.ts';",
    ),
    file('src/worker/loops/shared-loop.ts', "import { Feed } from '../feeds/feed.ts';"),
    file('src/worker/feeds/feed.ts', "import type { Subscriber } from '../states/subscribers.ts';"),
    file('src/worker/storage/opening.ts', "import { openDB } from 'idb';"),
    file('src/main/hosts/engine-module.ts', "const engine = await import('../../worker/compose.ts');"),
    file('src/main/resource.ts', "import type { Failure } from '../shared/failure.ts';"),
    file('src/main/list/screen.ts', "import { render } from 'lit-html';", "import './window.ts';"),
    file('src/main/a.ts', "import type { List } from './list/list.ts';"),
    file('src/main/fw/index.ts', "import { List } from '../list/index.ts';"),
    file('src/main/website/index.ts', "import { fw } from '../fw/index.ts';"),
    file('src/worker/delivery/hub.test.ts', "import { test } from 'vitest';"),
  ])('$path may', (source) => {
    expect(forbiddenImports(source)).toEqual([]);
  });

  test('everywhere', () => {
    expect(product.length).toBeGreaterThan(10);
    expect(product.flatMap(forbiddenImports)).toEqual([]);
  });
});

describe('nothing imports itself by a detour', () => {
  test('types count', () => {
    const circle = [
      file('src/shared/a.ts', "import type { B } from './b.ts';"),
      file('src/shared/b.ts', "export * from './c.ts';"),
      file('src/shared/c.ts', "import './a.ts';"),
    ];
    expect(importCycles(circle)).toEqual([
      'src/shared/a.ts -> src/shared/b.ts -> src/shared/c.ts -> src/shared/a.ts',
    ]);
    expect(importCycles(circle.slice(0, 2))).toEqual([]);
  });

  test('anywhere', () => {
    expect(importCycles(sources)).toEqual([]);
  });
});

describe('no tool is silenced', () => {
  test.each([
    ['oxlint', 'disable'],
    ['eslint', 'disable-next-line'],
    ['@ts', 'ignore'],
    ['@ts', 'nocheck'],
    ['prettier', 'ignore'],
    ['@ts', 'expect-error'],
  ])('%s-%s', (tool, verb) => {
    expect(silencers(file('src/a.ts', `// ${tool}-${verb}`))).toHaveLength(1);
  });

  test('anywhere', () => {
    expect(sources.flatMap(silencers)).toEqual([]);
  });

  test('nor is a rule of the linter', async () => {
    const strict = { categories: { correctness: 'error', suspicious: 'error' } };
    const weakened = [
      { ...strict, rules: { 'no-var': 'off' } },
      { ...strict, rules: { 'no-var': ['warn', {}] } },
      { ...strict, overrides: [{ rules: { 'no-var': 0 } }] },
      { categories: { correctness: 'error' } },
    ];
    expect(weakened.flatMap((each) => weakenedRules(JSON.stringify(each)))).toEqual([
      'no-var',
      'no-var',
      'no-var',
      'suspicious',
    ]);
    expect(weakenedRules(await readFile(new URL('.oxlintrc.json', ROOT), 'utf8'))).toEqual([]);
  });
});

describe('no test is left out', () => {
  test.each([
    ['test', 'only'],
    ['describe', 'skip'],
    ['it', 'todo'],
    ['test.describe', 'fixme'],
    ['test', 'skipIf'],
  ])('%s.%s', (name, verb) => {
    expect(skippedTests(file('e2e/a.spec.ts', `${name}.${verb}('...');`))).toHaveLength(1);
  });

  test('anywhere', () => {
    expect(sources.flatMap(skippedTests)).toEqual([]);
  });
});

describe('names say what a file holds', () => {
  test.each(['src/main/utils.ts', 'demo/app/helpers.js', 'src/worker/common/a.ts', 'src/shared/types.ts'])(
    '%s',
    (path) => {
      expect(emptyNames(path)).toHaveLength(1);
    },
  );

  test('everywhere', () => {
    expect(sources.flatMap(({ path }) => emptyNames(path))).toEqual([]);
  });
});
