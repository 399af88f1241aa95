import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BuildOptions, Rolldown } from 'vite';
import type { ViteUserConfig, ViteUserConfigFnObject } from 'vitest/config';
import { demoApp, demoServer, demoWorker } from './demo/vite.ts';
import { enginesPage, enginesRunner } from './e2e/engines/vite.ts';
import { newerPage, newerWorker } from './e2e/faults/vite.ts';

/**
 * One build a mode (`vite build --mode main`): scripts/build.mjs says which and in what order.
 * Without one of these modes this is the configuration of the unit tests.
 */
const builds: Record<string, () => ViteUserConfig> = {
  main: () => library('main', OWN_ENGINE),
  list: () => library('main/list'),
  fw: () => library('main/fw', { '../index.ts': '../index.js', '../list/index.ts': '../list/index.js' }),
  worker: engine,
  'service-worker': serviceWorker,
  website,
  e2e: testPage,
  'e2e-list': listTestPage,
  'e2e-worker': ownWorker,
  'e2e-newer': newerPage,
  'e2e-newer-worker': newerWorker,
  demo: demoApp,
  'demo-worker': demoWorker,
  'demo-server': demoServer,
  'engines-page': enginesPage,
  'engines-runner': enginesRunner,
  fleet,
};

/**
 * What `import ... from 'offstage'`, `offstage/list` and so on load: an app's own bundler does the rest. Each is a build of
 * its own, so that none carries what another needs; `others` are sources that it takes from those builds.
 */
function library(entry: Entry, others: Readonly<Record<string, string>> = {}): ViteUserConfig {
  const [external, paths] = takenFrom(`src/${entry}`, others);
  return {
    build: {
      ...shipped,
      outDir: `dist/${entry}`,
      lib: { entry: `src/${entry}/index.ts`, formats: ['es'], fileName: 'index' },
      rolldownOptions: {
        external: (id) => isPackage(id) || external.includes(id),
        output: { paths },
      },
    },
  };
}

/** What a page has of the engine: for its first calls, and, loaded later, for where there is no service worker. */
const OWN_ENGINE = {
  '../worker/in-page.ts': '../worker/in-page.js',
  '../worker/early.ts': '../worker/early.js',
};

/**
 * The engine, for an app's own worker and for a page that has none, with what both have in common in a third file. It
 * shares nothing with the page but what that sends its first calls with (`early`), not even Comlink: an app's bundler would
 * put what both need into every page, with all that the engine alone uses of it.
 */
function engine(): ViteUserConfig {
  return {
    build: {
      ...shipped,
      outDir: 'dist/worker',
      lib: {
        entry: {
          index: 'src/worker/index.ts',
          'in-page': 'src/worker/in-page.ts',
          early: 'src/worker/early.ts',
        },
        formats: ['es'],
      },
      rolldownOptions: {
        external: (id) => isPackage(id) && id !== 'comlink',
        output: { chunkFileNames: '[name].js' },
      },
    },
  };
}

type Entry = 'main' | 'main/list' | 'main/fw';

/** Sources that a build leaves out, by their absolute path, and where it finds them built. */
function takenFrom(
  folder: string,
  others: Readonly<Record<string, string>>,
): readonly [external: readonly string[], paths: Readonly<Record<string, string>>] {
  const found = Object.entries(others).map(
    ([source, built]) => [path(`${folder}/${source}`), built] as const,
  );
  return [found.map(([source]) => source), Object.fromEntries(found)];
}

/**
 * The script for pages without a bundler: all that a page can have, as `fw` and `offstage`. It is no production build,
 * since it keeps the checks for those who write without a compiler (`src/main/development.ts`).
 */
function website(): ViteUserConfig {
  const [external, paths] = takenFrom('src/main/website', {
    '../../worker/service-worker.ts': './service-worker.js',
  });
  const engineModule = path('src/main/website/engine-module.ts');
  return {
    resolve: { alias: [{ find: /^\.\/engine-module\.ts$/, replacement: engineModule }] },
    build: {
      ...shipped,
      minify: true,
      outDir: 'dist',
      lib: {
        entry: 'src/main/website/index.ts',
        formats: ['iife'],
        name: 'offstage',
        fileName: () => 'offstage.global.js',
      },
      rolldownOptions: {
        external: (id) => external.includes(id),
        output: { codeSplitting: false, paths },
      },
    },
  };
}

/**
 * The ready-made worker: one file that runs as a module and as a classic script alike. It is the engine of a page
 * without a bundler, too, where that has no service worker.
 */
function serviceWorker(): ViteUserConfig {
  const strict = { postBanner: "'use strict';" };
  return {
    build: {
      ...oneFile('src/worker/service-worker.ts', 'dist/service-worker.js', strict),
      ...shipped,
      outDir: 'dist',
      minify: true,
    },
  };
}

/** The library as a user's bundler would take it, on the page that the end-to-end tests drive. */
function testPage(): ViteUserConfig {
  return {
    resolve: { alias: { offstage: path('dist/main/index.js') } },
    build: {
      ...plain,
      outDir: '.cache/e2e',
      rolldownOptions: {
        input: 'e2e/page/main.ts',
        output: { entryFileNames: 'offstage.js', chunkFileNames: '[name].js' },
      },
    },
  };
}

/** The lists, which a test adds to the page that it drives. */
function listTestPage(): ViteUserConfig {
  return {
    resolve: { alias: { 'offstage/list': path('dist/main/list/index.js') } },
    build: {
      ...plain,
      outDir: '.cache/e2e',
      rolldownOptions: { input: 'e2e/page/lists.ts', output: { entryFileNames: 'lists.js' } },
    },
  };
}

/** An app's own worker, beside the test page. */
function ownWorker(): ViteUserConfig {
  return {
    resolve: { alias: { 'offstage/worker': path('dist/worker/index.js') } },
    build: oneFile('e2e/page/own-worker.ts', '.cache/e2e/own-worker.js'),
  };
}

/** The simulation of a million clients, for plain Node; its threads load the same file. */
function fleet(): ViteUserConfig {
  return {
    build: {
      ...plain,
      ssr: true,
      target: 'node20',
      outDir: '.cache',
      rolldownOptions: {
        input: 'bench/fleet/main.ts',
        output: { format: 'es', entryFileNames: 'fleet.js' },
      },
    },
  };
}

/** A module with all that it imports, and no other file beside it. */
function oneFile(input: string, file: string, output: Rolldown.OutputOptions = {}): BuildOptions {
  return {
    ...plain,
    outDir: dirname(file),
    rolldownOptions: {
      input,
      // What a file is there for is what it exports.
      preserveEntrySignatures: 'strict',
      output: { ...output, format: 'es', codeSplitting: false, entryFileNames: basename(file) },
    },
  };
}

/** Into a folder that the script has emptied, for it holds the work of several builds. */
const plain = { target: 'es2022', minify: false, emptyOutDir: false, copyPublicDir: false } as const;

/** What users install: with the sources, for whoever debugs. */
const shipped = { ...plain, sourcemap: true } as const;

function isPackage(specifier: string): boolean {
  return /^[a-z@]/.test(specifier);
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

const unitTests: ViteUserConfig = {
  test: {
    environment: 'node',
    // The demo's, which stands on the package.
    alias: [{ find: /^offstage$/, replacement: path('src/main/index.ts') }],
    // Files leave nothing behind, and a worker of its own for each would take longer than all tests together.
    pool: 'threads',
    isolate: false,
    // It leaves one core to others, of two that is half.
    maxWorkers: 2,
    // Only what hangs takes so long, whatever else the machine does: time in tests is virtual.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    include: [
      'src/**/*.test.ts',
      'e2e/faults/**/*.test.ts',
      'demo/{app,server}/**/*.test.ts',
      'scripts/**/*.test.mjs',
      'bench/**/*.test.{ts,mjs}',
    ],
  },
};

const config: ViteUserConfigFnObject = ({ mode }) => ({
  root: path('.'),
  logLevel: 'warn',
  ...(builds[mode]?.() ?? unitTests),
});

export default config;
