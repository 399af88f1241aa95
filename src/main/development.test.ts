import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.resetModules();
});

async function isDevelopment(): Promise<boolean> {
  vi.resetModules();
  const { DEVELOPMENT } = await import('./development.ts');
  return DEVELOPMENT;
}

test.each([
  ['development', true],
  ['test', true],
  ['production', false],
])('a build for %s: %j', async (environment, expected) => {
  vi.stubEnv('NODE_ENV', environment);
  expect(await isDevelopment()).toBe(expected);
});

test('where nothing says so, as in a page without a bundler, it is no development build', async () => {
  vi.stubGlobal('process', undefined);
  expect(await isDevelopment()).toBe(false);
});
