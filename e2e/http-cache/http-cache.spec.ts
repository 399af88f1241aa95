import { writeFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
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

test('the suite passes as far as is known', async ({ page }) => {
  const server = await SuiteServer.up();
  try {
    await page.goto(`${server.url}/http-cache/index.html`);
    const { results, kinds } = await page.evaluate(() => window.played);
    for (const kind of ['required', 'optimal', 'check']) {
      const of = Object.entries(results).filter(([id]) => kinds[id] === kind);
      const passed = of.filter(([, result]) => result === true);
      console.log(`${kind}: ${passed.length} of ${of.length}`);
    }
    for (const [id, result] of Object.entries(results)) {
      if (result !== true && kinds[id] !== 'check') console.log(`${kinds[id]} ${id}: ${result.join(': ')}`);
    }
    await writeFile(
      new URL('../../.cache/http-cache/results.json', import.meta.url),
      JSON.stringify(results),
    );
    expect(Object.keys(results).length).toBeGreaterThan(200);
  } finally {
    await server.down();
  }
});
