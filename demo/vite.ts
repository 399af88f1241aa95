import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin, UserConfig } from 'vite';

const OUT = '.cache/demo';

/** The pages: index.html with scripts and styles, website.html, and what is in public/. First of the three, for it empties the folder. */
export function demoApp(): UserConfig {
  return {
    root: path('demo'),
    publicDir: path('public'),
    resolve: { alias: { offstage: path('dist/main/index.js') } },
    plugins: [website()],
    build: {
      target: 'es2022',
      outDir: path(OUT),
      emptyOutDir: true,
      // A data: URL would need an exception in the page's security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  };
}

/** The app's own worker: one file that runs as a classic script, beside the page that it stores. */
export function demoWorker(): UserConfig {
  return {
    root: path('demo'),
    resolve: { alias: { 'offstage/worker': path('dist/worker/index.js') } },
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [appShell()],
    build: {
      target: 'es2022',
      outDir: path(OUT),
      emptyOutDir: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: path('demo/worker/service-worker.ts'),
        output: { format: 'es', codeSplitting: false, entryFileNames: 'service-worker.js' },
      },
    },
  };
}

/** The server, for plain Node. */
export function demoServer(): UserConfig {
  return {
    root: path('demo'),
    publicDir: false,
    build: {
      ssr: true,
      target: 'node20',
      outDir: path('.cache/demo-server'),
      emptyOutDir: true,
      rolldownOptions: {
        input: { main: path('demo/server/main.ts'), server: path('demo/server/server.ts') },
        external: ['@electric-sql/pglite'],
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  };
}

/** The page without a bundler: its files as they are, and those of the library and of the app's style that it loads. */
function website(): Plugin {
  const own = readdirSync(path('demo/website')).map((name) => `demo/website/${name}`);
  const others = ['demo/app/style/tokens.css', 'demo/app/style/base.css'];
  // In a folder of their own: the app's worker has the name of the ready-made one.
  const library = ['dist/offstage.global.js', 'dist/service-worker.js'];
  return {
    name: 'website',
    generateBundle() {
      const all = [...inFolder('', own), ...inFolder('', others), ...inFolder('offstage/', library)];
      for (const [fileName, file] of all)
        this.emitFile({ type: 'asset', fileName, source: readFileSync(path(file)) });
    },
  };
}

/** Where each file goes, and where it lies. */
function inFolder(folder: string, files: readonly string[]): (readonly [fileName: string, file: string])[] {
  return files.map((file) => [`${folder}${basename(file)}`, file]);
}

/** The list of the app's files and a version of them all, for the worker to import. */
function appShell(): Plugin {
  const id = '\0app-shell';
  let folder = '';
  return {
    name: 'app-shell',
    configResolved: ({ root, build }) => {
      folder = resolve(root, build.outDir);
    },
    resolveId: (source) => (source === 'app-shell' ? id : null),
    load: (loaded) => (loaded === id ? describe(folder) : null),
  };
}

function describe(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/service-worker\.js$|\.map$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/'))
    .toSorted();
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
  const version = hash.digest('hex').slice(0, 12);
  return `export const version = ${JSON.stringify(version)};\nexport const files = ${JSON.stringify(files)};`;
}

function path(relative: string): string {
  return fileURLToPath(new URL(`../${relative}`, import.meta.url));
}
