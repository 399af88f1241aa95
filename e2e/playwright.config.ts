import { readFileSync } from 'node:fs';
import type { PlaywrightTestConfig } from '@playwright/test';

const config: PlaywrightTestConfig = {
  testDir: '.',
  testMatch: '**/*.spec.ts',
  testIgnore: 'third-party/**',
  outputDir: '../.cache/e2e-results',
  reporter: [['list'], ['json', { outputFile: '../.cache/e2e.json' }]],
  fullyParallel: true,
  forbidOnly: true,
  workers: 2,
  retries: 0,
  globalTimeout: 600_000,
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: chromium() },
  },
};

/** The browser that scripts/chromium.mjs found; Playwright's own where it was not asked. */
function chromium(): string {
  const path = process.env['OFFSTAGE_CHROMIUM'];
  if (path) return path;
  const note: { readonly path: string } = JSON.parse(
    readFileSync(new URL('../.cache/chromium.json', import.meta.url), 'utf8'),
  );
  return note.path;
}

export default config;
