import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';

/** Where the fixture server finds it, as `/newer/`. */
const FOLDER = '.cache/e2e/newer';

/**
 * The library of a release to come, on the page of the end-to-end tests: its database has one version more, and it speaks
 * one protocol more.
 */
export function newerPage(): UserConfig {
  return {
    resolve: { alias: [{ find: 'offstage', replacement: path('src/main/index.ts') }, ...NEWER] },
    build: {
      ...plain,
      outDir: FOLDER,
      rolldownOptions: {
        input: 'e2e/page/main.ts',
        output: { entryFileNames: 'offstage.js', chunkFileNames: '[name].js' },
      },
    },
  };
}

/** Its ready-made worker. */
export function newerWorker(): UserConfig {
  return {
    resolve: { alias: NEWER },
    build: {
      ...plain,
      outDir: FOLDER,
      rolldownOptions: {
        input: 'src/worker/service-worker.ts',
        output: { codeSplitting: false, entryFileNames: 'service-worker.js', postBanner: "'use strict';" },
      },
    },
  };
}

/** As other sources import them; the fixtures, which add to the originals, have other paths to them. */
export const NEWER: readonly { readonly find: RegExp; readonly replacement: string }[] = [
  { find: /^\.\/migrations\.ts$/, replacement: path('e2e/faults/newer/migrations.ts') },
  { find: /^(?:\.\.?\/)+(?:shared\/)?protocol\.ts$/, replacement: path('e2e/faults/newer/protocol.ts') },
];

const plain = { target: 'es2022', minify: false, emptyOutDir: false, copyPublicDir: false } as const;

function path(relative: string): string {
  return fileURLToPath(new URL(`../../${relative}`, import.meta.url));
}
