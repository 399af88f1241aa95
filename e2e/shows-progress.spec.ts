import type { Page } from '@playwright/test';
import { expect, test } from './test.ts';

test.describe('progress events', () => {
  test('count the bytes of a download as they come, at most ten times a second', async ({ page }) => {
    for (const [path, total] of [
      ['/drip?bytes=20000&ms=600', 20_000],
      ['/drip?bytes=20000&ms=600&length=no', null],
    ] as const) {
      const { steps, took } = await download(page, path);
      const told = { total, lengthComputable: total !== null, phase: 'loading', response: null };
      expect(steps).toMatchObject(steps.map(() => told));
      const loaded = steps.map((step) => step.loaded);
      expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
      expect(loaded.at(-1)).toBe(20_000);
      expect(loaded[0]).toBeLessThan(15_000);
      expect(loaded.length).toBeGreaterThan(3);
      expect(loaded.length).toBeLessThanOrEqual(took / 100 + 1);
    }
    expect((await download(page, '/empty')).steps).toMatchObject([{ loaded: 0 }]);
  });
});

interface Download {
  readonly steps: readonly { readonly loaded: number }[];
  /** Milliseconds. */
  readonly took: number;
}

function download(page: Page, path: string): Promise<Download> {
  return page.evaluate(async (url) => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url } });
    const steps: { readonly loaded: number }[] = [];
    photo.addListener('progress', ({ loaded, total, lengthComputable, phase, response }) => {
      steps.push(Object.assign({ loaded }, { total, lengthComputable, phase, response }));
    });
    const began = performance.now();
    await photo.result(photo.get());
    return { steps, took: performance.now() - began };
  }, path);
}
