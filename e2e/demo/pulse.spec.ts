import type { Page } from '@playwright/test';
import { expect, openDemo, test } from './test.ts';

/** What Backstage says of the poll: "in 3.2 s" as 3.2, and what is not being counted down as NaN. */
async function left(page: Page): Promise<number> {
  const state = await page.locator('#worker .loop', { hasText: 'stats' }).locator('.loop-state').innerText();
  return Number(/^in (\d+\.\d) s$/.exec(state)?.[1] ?? Number.NaN);
}

test.describe('the pulse of the demo', () => {
  test('is as quick as the quickest tab wants it, which each browser keeps; what is due next is counted down', async ({
    page,
    context,
  }) => {
    await openDemo(page);
    const range = page.getByRole('slider', { name: 'Ask every' });
    const pace = page.locator('#pulse [data-field=pace]');
    await range.press('End');
    await expect(range).toHaveAttribute('aria-valuetext', '60 s');
    await expect(pace).toHaveText('The worker asks every 60 s, for this tab.');
    await expect.poll(() => left(page)).toBeGreaterThan(30);
    const before = await left(page);
    await expect.poll(() => left(page)).toBeLessThan(before - 0.5);

    const answers = page.locator('#pulse .strip li');
    const answered = await answers.count();
    await range.press('Home');
    // At any slower pace it would be three at most before this gives up.
    await expect.poll(() => answers.count()).toBeGreaterThan(answered + 4);

    const other = await context.newPage();
    await openDemo(other);
    const otherRange = other.getByRole('slider', { name: 'Ask every' });
    await expect(otherRange).toHaveAttribute('aria-valuetext', '0.5 s');
    await otherRange.press('End');
    await expect(other.locator('#pulse [data-field=pace]')).toHaveText(
      'The worker asks every 0.5 s: another tab wants it so. 2 tabs share the answers.',
    );
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect(pace).toHaveText('The worker asks every 60 s for another tab.');
  });
});
