import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from '@playwright/test';
import { expect, openDemo, test } from './test.ts';

interface Website {
  readonly options: Locator;
  readonly selected: Locator;
  /** What the handler of the numbers was told last. */
  readonly told: Locator;
}

async function openWebsite(page: Page): Promise<Website> {
  await openDemo(page);
  await page.goto('/website.html');
  const options = page.getByRole('listbox', { name: 'The newest photos' }).getByRole('option');
  await expect(options).not.toHaveCount(0);
  return {
    options,
    selected: options.and(page.getByRole('option', { selected: true })),
    told: page.locator('#server-told'),
  };
}

/** In the mode for pages without frames, which needs no page of its own. */
async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test.describe('the page without a bundler', () => {
  test('adds a photo, which comes into the list by itself and leaves the selection where it is', async ({
    page,
  }) => {
    const { options, selected } = await openWebsite(page);
    const shown = page.locator('#photo-title');
    await options.nth(2).click();
    const title = await shown.innerText();
    await expect(selected).toContainText(title);

    const field = page.getByRole('textbox', { name: 'Title' });
    const add = page.getByRole('button', { name: 'Add to the sheet' });
    await add.click();
    await expect(field).toBeFocused();
    await expect(field).toHaveAccessibleDescription('A photo needs a title.');
    expect(await violations(page)).toEqual([]);

    await field.fill('Made without a bundler');
    await page.getByLabel('Palette').selectOption('Fjord');
    await add.click();
    await expect(options.first()).toContainText('Made without a bundler');
    await expect(field).toHaveAccessibleDescription('');
    await expect(selected).toContainText(title);
    await expect(shown).toHaveText(title);
  });

  test('stops the poll and goes on, and opens without a network', async ({ page, context }) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    const { options, told } = await openWebsite(page);
    expect(await violations(page)).toEqual([]);
    await expect(told).toContainText('status');
    await page.getByRole('button', { name: 'Stop' }).click();
    const before = await told.innerText();
    // Longer than the interval of the poll.
    await page.waitForTimeout(1_300);
    expect(await told.innerText()).toBe(before);
    await page.getByRole('button', { name: 'Go on' }).click();
    await expect(told).not.toHaveText(before);

    const count = await options.count();
    await page.evaluate(() => navigator.serviceWorker.ready);
    await context.setOffline(true);
    await page.reload();
    await expect(page.locator('h1')).toHaveText('Without a bundler');
    await expect(options).toHaveCount(count);
    await expect(page.locator('#newest-note')).toContainText('out of reach');
    await expect(told).toContainText('stale:\u00a0true');
  });
});
