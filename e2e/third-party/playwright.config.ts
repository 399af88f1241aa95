import type { PlaywrightTestConfig } from '@playwright/test';
import all from '../playwright.config.ts';

const { projects: _, ...shared } = all;

/** For `npm run test:third-party`, which installs what these tests talk to. */
const config: PlaywrightTestConfig = {
  ...shared,
  testIgnore: [],
  outputDir: '../../.cache/third-party-results',
  reporter: 'list',
};

export default config;
