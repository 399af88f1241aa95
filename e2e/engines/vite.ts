import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';

/** The page that plays the scenarios. */
export function enginesPage(): UserConfig {
  return {
    resolve: { alias: { offstage: path('dist/main/index.js') } },
    build: {
      ...plain,
      outDir: '.cache/engines',
      rolldownOptions: {
        input: 'e2e/engines/page.ts',
        output: { entryFileNames: 'page.js', chunkFileNames: '[name].js' },
      },
    },
  };
}

/** The program that drives the engines, for plain Node. */
export function enginesRunner(): UserConfig {
  return {
    build: {
      ...plain,
      ssr: 'e2e/engines/run.ts',
      target: 'node20',
      outDir: '.cache/engines',
      rolldownOptions: { output: { entryFileNames: 'run.js' } },
    },
  };
}

const plain = { target: 'es2022', minify: false, emptyOutDir: false, copyPublicDir: false } as const;

function path(relative: string): string {
  return fileURLToPath(new URL(`../../${relative}`, import.meta.url));
}
