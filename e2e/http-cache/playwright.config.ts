import type { PlaywrightTestConfig } from '@playwright/test';
import all from '../playwright.config.ts';

const { projects: _, ...shared } = all;

/** For `npm run test:http-cache`, which gets the suite that this plays. */
const config: PlaywrightTestConfig = {
  ...shared,
  testIgnore: [],
  outputDir: '../../.cache/http-cache-results',
  reporter: 'list',
  timeout: 600_000,
};

export default config;
