import { AxeBuilder } from '@axe-core/playwright';
import type { APIRequestContext, Locator, Page } from '@playwright/test';
import { expect } from './test.ts';

interface News {
  readonly last: string;
  readonly changes: readonly { readonly kind: string; readonly id: number; readonly title: string }[];
}

/** A photo of this test's own, as somebody else makes it. */
export async function photograph(request: APIRequestContext, title: string): Promise<number> {
  const { id }: { id: number } = await (await request.post('/api/photos', { data: { title } })).json();
  return id;
}

/** What the server has done after a place in its log. */
export async function doneAfter(request: APIRequestContext, place: string): Promise<string[]> {
  const answer = await request.get(`/api/changes?wait=0&since=${place}`);
  if (answer.status() === 204) return [];
  const { changes }: News = await answer.json();
  return changes.map(({ kind, title }) => `${kind} ${title}`).toSorted();
}

export async function logNow(request: APIRequestContext): Promise<string> {
  const { last }: News = await (await request.get('/api/changes')).json();
  return last;
}

/** Looks at it, so that its version is known here. */
export async function look(page: Page, id: number): Promise<void> {
  await page.goto(`/#/photo/${id}`);
  // What is said of the photo before it may still stand there.
  await expect(page.locator('#viewer [data-field=number]')).toHaveText(String(id).padStart(2, '0'));
  await expect(page.locator('#viewer [data-field=source]')).toContainText('from the server');
}

export async function edit(page: Page, id: number, title: string): Promise<void> {
  await page.goto(`/#/photo/${id}/edit`);
  await expect(page.getByLabel('Title')).not.toHaveValue('');
  await page.getByLabel('Title').fill(title);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByLabel('Title')).toHaveCount(0);
}

export async function remove(page: Page, id: number): Promise<void> {
  await page.goto(`/#/photo/${id}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.locator('body')).toHaveAttribute('data-view', 'collection');
}

export const badge = (page: Page): Locator => page.locator('#outbox-button');
export const markOf = (page: Page, id: number): Locator =>
  page.locator(`#wall [data-id="${id}"] .waiting-mark`);
export const drawer = (page: Page): Locator => page.getByRole('dialog', { name: 'Outbox' });
export const card = (page: Page, name: string): Locator => drawer(page).getByRole('article', { name });

export async function says(page: Page, words: string): Promise<void> {
  await expect(badge(page)).toHaveAttribute('aria-label', `Outbox: ${words}`, { timeout: 20_000 });
}

/** All that is read out from now on. */
export async function listen(page: Page): Promise<() => Promise<string>> {
  const heard = await page.evaluateHandle(() => {
    const texts: string[] = [];
    const region = document.querySelector('#announcements');
    if (region)
      new MutationObserver(() => texts.push(region.textContent)).observe(region, { childList: true });
    return texts;
  });
  return () => heard.evaluate((texts) => texts.join(' '));
}

export const frameOf = (page: Page, id: number): Locator => page.locator(`#wall [data-id="${id}"]`);

export async function axe(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
