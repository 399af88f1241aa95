import { afterEach, describe, expect, test, vi } from 'vitest';
import { inDevelopment, unlessProduction } from './development.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

function fail(): never {
  throw new Error('wrong');
}

describe.each([
  ['inDevelopment', inDevelopment, false],
  ['unlessProduction', unlessProduction, true],
])('%s', (_name, inBuild, withoutBundler) => {
  function acts(): boolean {
    let acted = false;
    inBuild(() => {
      acted = true;
    });
    return acted;
  }

  test.each([
    ['development', true],
    ['test', true],
    ['production', false],
  ])('acts in a build for %s: %j', (environment, expected) => {
    vi.stubEnv('NODE_ENV', environment);
    expect(acts()).toBe(expected);
  });

  test(`acts in a page without a bundler: ${withoutBundler}`, () => {
    vi.stubGlobal('process', undefined);
    expect(acts()).toBe(withoutBundler);
  });

  test('lets out what goes wrong', () => {
    expect(() => inBuild(fail)).toThrow('wrong');
  });
});
