import { readFileSync } from 'node:fs';
import type { PlaywrightTestConfig } from '@playwright/test';

/** What the headless shell does not have: the back/forward cache and pages that are installable. */
const NEED_A_BROWSER = ['demo/*.spec.ts', 'rests-in-the-page-cache.spec.ts'];
const NOT_OURS = ['third-party/**', 'http-cache/**'];

const browsers = findBrowsers();

const config: PlaywrightTestConfig = {
  testDir: '.',
  testMatch: '**/*.spec.ts',
  testIgnore: NOT_OURS,
  outputDir: '../.cache/e2e-results',
  reporter: [['list'], ['json', { outputFile: '../.cache/e2e.json' }]],
  fullyParallel: true,
  forbidOnly: true,
  workers: 2,
  retries: 0,
  globalTimeout: 1_200_000,
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: browsers.chromium },
  },
  projects: [
    {
      name: 'shell',
      testIgnore: [...NEED_A_BROWSER, ...NOT_OURS],
      use: { launchOptions: { executablePath: browsers.shell } },
    },
    {
      name: 'browser',
      testMatch: NEED_A_BROWSER,
    },
  ],
};

/** Those that scripts/chromium.mjs found: it tells them in the environment, and leaves a note. */
function findBrowsers(): { readonly chromium: string; readonly shell: string } {
  const { OFFSTAGE_CHROMIUM: chromium, OFFSTAGE_HEADLESS_SHELL: shell } = process.env;
  if (chromium) return { chromium, shell: shell || chromium };
  const text = readFileSync(new URL('../.cache/chromium.json', import.meta.url), 'utf8');
  const note: { readonly path: string; readonly shell?: string | null } = JSON.parse(text);
  return { chromium: note.path, shell: note.shell ?? note.path };
}

export default config;
