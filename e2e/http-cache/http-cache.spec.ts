import { expect, test } from '@playwright/test';
import { reasonOf } from './known.ts';
import { SuiteServer } from './suite-server.ts';

interface Played {
  readonly results: Readonly<Record<string, true | readonly [kind: string, message: string]>>;
  readonly kinds: Readonly<Record<string, string>>;
}

declare global {
  interface Window {
    readonly played: Promise<Played>;
  }
}

/** At least so many pass, of what this version of the suite has for browsers. */
const LEAST: Readonly<Record<string, readonly [passed: number, of: number]>> = {
  required: [133, 147],
  optimal: [56, 68],
};

test('all tests pass but those with a known reason', async ({ page }) => {
  const server = await SuiteServer.up();
  try {
    await page.goto(`${server.url}/http-cache/index.html`);
    const { results, kinds } = await page.evaluate(() => window.played);
    const failed = Object.entries(results).filter(([id, result]) => result !== true && kinds[id] !== 'check');
    const lines = failed.map(([id, result]) => `${kinds[id]} ${id}: ${reasonOf(id) ?? String(result)}`);
    console.log([...Object.keys(LEAST).map((kind) => scoreOf(kind, results, kinds)), ...lines].join('\n'));
    expect(failed.filter(([id]) => reasonOf(id) === null)).toEqual([]);
    for (const [kind, [passed, of]] of Object.entries(LEAST)) {
      const ids = Object.keys(results).filter((id) => kinds[id] === kind);
      expect(ids).toHaveLength(of);
      expect(ids.filter((id) => results[id] === true).length).toBeGreaterThanOrEqual(passed);
    }
  } finally {
    await server.down();
  }
});

function scoreOf(kind: string, results: Played['results'], kinds: Played['kinds']): string {
  const ids = Object.keys(results).filter((id) => kinds[id] === kind);
  return `${kind}: ${ids.filter((id) => results[id] === true).length} of ${ids.length}`;
}
