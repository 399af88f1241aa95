import { expect, lastAnswer, openDemo, test } from './test.ts';

test.describe('the demo', () => {
  test('opens with the network off, shows the last list and says that it is stale; the poll resumes by itself', async ({
    page,
    context,
  }) => {
    await openDemo(page);
    const titles = await page.locator('#wall .frame').allInnerTexts();

    await context.setOffline(true);
    await page.reload();
    await expect(page.locator('#freshness')).toHaveAttribute('data-state', 'offline');
    await expect(page.locator('#stale-note')).toContainText('stale');
    expect(await page.locator('#wall .frame').allInnerTexts()).toEqual(titles);
    const before = await lastAnswer(page);

    await context.setOffline(false);
    await expect(page.locator('#freshness')).toHaveAttribute('data-state', 'live', { timeout: 15_000 });
    await expect(page.locator('#stale-note')).toBeHidden();
    await expect.poll(() => lastAnswer(page), { timeout: 15_000 }).not.toBe(before);
    const resumed = await lastAnswer(page);
    await expect.poll(() => lastAnswer(page), { timeout: 15_000 }).not.toBe(resumed);
  });

  test('shows what is stored, the open photo too, long before a slow server has answered', async ({
    page,
  }) => {
    await openDemo(page);
    const titles = await page.locator('#wall .frame').allInnerTexts();
    await page.locator('#wall .frame a').first().click();
    const source = page.locator('#viewer [data-field=source]');
    await expect(source).toHaveText('from the server');
    await page.request.post('/api/trouble', { data: { delay: 60_000 } });
    try {
      await page.reload();
      await expect.poll(() => page.locator('#wall .frame').allInnerTexts()).toEqual(titles);
      await expect(source).toContainText('from the cache');
    } finally {
      await page.request.delete('/api/trouble');
    }
  });

  test('is installable: a manifest with icons, and a worker that controls the page', async ({ page }) => {
    await openDemo(page);
    const manifest = await page.evaluate(async () => {
      const link = document.querySelector('link[rel=manifest]');
      const response = await fetch(link instanceof HTMLLinkElement ? link.href : '');
      return response.json();
    });
    expect(manifest).toMatchObject({ display: 'standalone', start_url: expect.any(String) });
    for (const { src, sizes } of manifest.icons) {
      const size = await page.evaluate(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        return `${image.naturalWidth}x${image.naturalHeight}`;
      }, src);
      if (sizes !== 'any') expect(size).toBe(sizes);
    }
    const devtools = await page.context().newCDPSession(page);
    expect((await devtools.send('Page.getAppManifest')).errors).toEqual([]);
  });
});
