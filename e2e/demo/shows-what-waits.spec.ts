import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { badge, card, doneAfter, drawer, logNow, says } from './outbox.ts';
import { expect, openDemo, test } from './test.ts';

async function create(page: Page, title: string, palette = 'dawn'): Promise<void> {
  await page.goto('/#/new');
  await page.getByLabel('Title').fill(title);
  const chosen = page.locator('#editor [name=palette]:checked');
  await chosen.evaluate((input, value) => input.setAttribute('value', value), palette);
  await page.getByRole('button', { name: 'Add to the sheet' }).click();
  await expect(page.locator('body')).toHaveAttribute('data-view', 'collection');
}

const frame = (page: Page, title: string): Locator => page.locator('#wall .frame', { hasText: title });

async function openEditor(page: Page, title: string): Promise<void> {
  await frame(page, title).getByRole('link').click();
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await expect(page.getByLabel('Title')).toHaveValue(title);
}

async function discard(page: Page, name: string): Promise<void> {
  await card(page, name).getByRole('button', { name: 'Discard' }).click();
  const dialog = page.getByRole('dialog', { name: 'Discard this change?' });
  await dialog.getByRole('button', { name: 'Discard' }).click();
}

test.describe('a photo that waits in the demo to be created', () => {
  test('goes with all that waits for it, when it is discarded', async ({ page, context }) => {
    await openDemo(page);
    const [place, count] = [await logNow(page.request), await page.locator('#count').innerText()];
    await context.setOffline(true);
    await create(page, 'Thought better of');
    await openEditor(page, 'Thought better of');
    await page.getByLabel('Title').fill('Thought of again');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.locator('#viewer h2')).toHaveText('Thought of again');
    await expect(frame(page, 'Thought of again')).toHaveCount(1);
    await says(page, '2 changes wait.');
    await badge(page).click();
    await discard(page, 'New photo “Thought better of”');
    await says(page, 'Nothing waits.');
    await expect(frame(page, 'Thought')).toHaveCount(0);
    await expect(page.locator('#count')).toHaveText(count);
    await context.setOffline(false);
    expect(await doneAfter(page.request, place)).toEqual([]);
  });

  test('keeps what is typed into its form when the server numbers it', async ({ page, context }) => {
    await openDemo(page);
    const place = await logNow(page.request);
    await context.setOffline(true);
    await create(page, 'Half done');
    await openEditor(page, 'Half done');
    await page.getByLabel('Title').fill('All done');
    await context.setOffline(false);
    await expect(page).toHaveURL(/#\/photo\/\d+\/edit$/, { timeout: 20_000 });
    await expect(page.getByLabel('Title')).toHaveValue('All done');
    await page.getByRole('button', { name: 'Save' }).click();
    await says(page, 'Nothing waits.');
    await expect(page).toHaveURL(/#\/photo\/\d+$/);
    await expect(frame(page, 'All done')).toHaveCount(1);
    expect(await doneAfter(page.request, place)).toEqual(['created Half done', 'updated All done']);
  });

  test('leaves the sheet when the server refuses it, and the outbox says why', async ({ page, context }) => {
    await openDemo(page);
    const place = await logNow(page.request);
    await context.setOffline(true);
    await create(page, 'Of no such palette', 'mauve');
    await expect(frame(page, 'Of no such palette')).toHaveCount(1);
    await context.setOffline(false);
    await says(page, '1 change waits, 1 for you.');
    await expect(frame(page, 'Of no such palette')).toHaveCount(0);
    await badge(page).click();
    const refused = card(page, 'New photo “Of no such palette”');
    await expect(refused).toContainText('Choose one of dawn, dusk');
    await refused.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Title').fill('Of a palette');
    await page.getByLabel('Fjord').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await says(page, 'Nothing waits.');
    await expect(frame(page, 'Of a palette')).toHaveCount(1);
    expect(await doneAfter(page.request, place)).toEqual(['created Of a palette']);
  });

  test('is in the file that the outbox saves; back closes the outbox on a phone', async ({
    page,
    context,
  }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openDemo(page);
    await context.setOffline(true);
    await create(page, 'Saved');
    await says(page, '1 change waits.');
    // The form was longer than the window.
    await expect(page.locator('#wall .frame').first()).toBeInViewport({ ratio: 1 });
    await badge(page).click();
    const saving = page.waitForEvent('download');
    await drawer(page).getByRole('button', { name: 'Export' }).click();
    const saved: unknown = JSON.parse(await readFile(await (await saving).path(), 'utf8'));
    expect(saved).toMatchObject([{ action: 'create', data: { title: 'Saved' }, state: 'queued' }]);

    const before = page.url();
    await page.goBack();
    await expect(drawer(page)).toBeHidden();
    expect(page.url()).toBe(before);
    await badge(page).click();
    await drawer(page).getByRole('button', { name: 'Edit' }).click();
    await expect(page.getByLabel('Title')).toHaveValue('Saved');
    await page.goBack();
    await expect(drawer(page)).toBeVisible();
    await discard(page, 'New photo “Saved”');
    await drawer(page).getByRole('button', { name: 'Close' }).click();
    await expect(drawer(page)).toBeHidden();
    await expect.poll(() => page.evaluate(() => history.state)).toBeNull();
    expect(page.url()).toBe(before);
  });
});
