import { expect, openDemo, test } from './test.ts';

test.describe('two tabs of the demo', () => {
  test('each log their own events, and a photo made in one develops in the other', async ({
    page,
    context,
  }) => {
    await openDemo(page);
    const other = await context.newPage();
    await openDemo(other);
    const title = `Made at ${Date.now()}`;

    await page.goto('/#/new');
    await page.getByLabel('Title').fill(title);
    await page.getByRole('button', { name: /save|create|add/i }).click();

    for (const tab of [page, other]) await expect(tab.locator('#wall')).toContainText(title);
    await expect(page.locator('#log tr', { hasText: 'create' })).not.toHaveCount(0);
    await expect(other.locator('#log tr', { hasText: 'create' })).toHaveCount(0);
    await expect(other.locator('#log tr', { hasText: 'changes' })).not.toHaveCount(0);

    // What a plain store is bound to follows in both, whichever tab's answer was stored first.
    const counts = [page, other].map((tab) => tab.locator('#pulse [data-field=photos]'));
    const total = await page.locator('#count').innerText();
    for (const count of counts) await expect(count).toContainText(total);
  });
});
