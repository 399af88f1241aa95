import { expect, test } from './test.ts';

test.describe('progress events', () => {
  test('count the bytes of a download as they come', async ({ page }) => {
    const downloads = await page.evaluate(async () => {
      const photo = new window.offstage.Resource({
        get: { method: 'GET', url: '/drip?bytes=20000&ms=600{&length}' },
        empty: { method: 'GET', url: '/empty' },
      });
      const counts: unknown[] = [];
      let steps: { readonly loaded: number; readonly at: number }[] = [];
      photo.addListener('progress', ({ loaded, total, lengthComputable, phase, response }) => {
        steps.push({ loaded, at: performance.now() });
        counts.push([total, lengthComputable, phase, response]);
      });
      const all: unknown[] = [];
      for (const id of [photo.get(), photo.get({ length: 'no' })]) await photo.result(id);
      const both = { counts, steps };
      steps = [];
      await photo.result(photo.empty());
      all.push(steps.map(({ loaded }) => loaded));
      return { ...both, all };
    });
    const known = downloads.counts.filter((count) => Object(count)[1] === true);
    const unknown = downloads.counts.filter((count) => Object(count)[1] === false);
    for (const count of known) expect(count).toEqual([20_000, true, 'loading', null]);
    for (const count of unknown) expect(count).toEqual([null, false, 'loading', null]);
    for (const counts of [known, unknown]) {
      expect(counts.length).toBeGreaterThan(3);
      expect(counts.length).toBeLessThan(10);
    }
    const loaded = downloads.steps.map((step) => step.loaded);
    expect(loaded.filter((bytes) => bytes === 20_000).length).toBeGreaterThanOrEqual(2);
    expect(loaded.some((bytes) => bytes > 0 && bytes < 15_000)).toBe(true);
    expect(downloads.all).toEqual([[0]]);
  });
});
