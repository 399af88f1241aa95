import { AxeBuilder } from '@axe-core/playwright';
import type { BrowserContext, Page } from '@playwright/test';
import { everythingStored } from './stored.ts';
import { choose, expect, isLive, openDemo, switchTo, test } from './test.ts';
import type { Name } from './test.ts';

interface Listed {
  readonly items: readonly { readonly id: number; readonly title: string; readonly description: string }[];
}

/** What a user's photos are called, as the server has it. */
async function photosOf(name: Name, context: BrowserContext, url: string): Promise<Listed['items']> {
  const visitor = await context.browser()?.newContext({ baseURL: url });
  if (!visitor) throw new Error('The context has no browser.');
  const user = name === 'Mira Solberg' ? 'mira' : 'jonas';
  await visitor.request.post('/api/session', { data: { user } });
  const { items }: Listed = await (await visitor.request.get('/api/photos?size=200')).json();
  await visitor.close();
  return items;
}

/** Notes which of these texts the page shows in any frame that it draws from now on as somebody's. */
async function watchFor(
  page: Page,
  name: string,
  texts: readonly string[],
): Promise<() => Promise<string[]>> {
  const watched = await page.evaluateHandle(
    ([as, wanted]) => {
      const seen = new Set<string>(['no frame was drawn']);
      const look = (): void => {
        // Hidden or not.
        const shown = `${document.title} ${document.body.textContent}`;
        if (document.querySelector('#account')?.textContent.includes(as)) {
          seen.delete('no frame was drawn');
          for (const text of wanted) if (shown.includes(text)) seen.add(text);
        }
        requestAnimationFrame(look);
      };
      look();
      return { seen: () => [...seen] };
    },
    [name, texts] as const,
  );
  return () => watched.evaluate(({ seen }) => seen());
}

const wall = (page: Page) => page.locator('#wall .frame-title');

/** The page fetches the pictures that are out of sight when it has nothing else to do. */
async function isKept(page: Page, pictures: number): Promise<void> {
  const kept = () => page.evaluate(async () => (await (await caches.open('pictures-mira')).keys()).length);
  await expect.poll(kept, { timeout: 60_000 }).toBeGreaterThan(pictures);
}

async function axe(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test.describe('two users of the demo', () => {
  test.describe.configure({ timeout: 120_000 });

  test('see each their own photos and nothing of the other’s, in every tab', async ({
    page,
    context,
    demo: { url },
  }) => {
    const [hers, his] = [
      await photosOf('Mira Solberg', context, url),
      await photosOf('Jonas Vale', context, url),
    ];
    await page.goto('/');
    const dialog = page.getByRole('dialog', { name: 'Whose contact sheet?' });
    await expect(dialog).toContainText('there are no passwords');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeVisible();
    expect(await axe(page)).toEqual([]);
    // By the keyboard alone.
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Mira Solberg' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Signed in as Mira' })).toBeVisible();
    await expect(wall(page).first()).toHaveText(hers[0]?.title ?? '');
    const other = await context.newPage();
    await openDemo(other);
    await expect(wall(other).first()).toHaveText(hers[0]?.title ?? '');

    // A photo is open, and words were searched for: neither stays.
    await page.locator('#wall .frame a').first().click();
    await expect(page.locator('#viewer h2')).toHaveText(hers[0]?.title ?? '');
    await page.getByRole('searchbox').fill('the');
    const titles = his.map(({ title }) => title);
    const ownTexts = hers
      .flatMap(({ title, description }) => [title, description])
      .filter((text) => text !== '');
    const tabs = [page, other];
    const seen = await Promise.all(tabs.map((tab) => watchFor(tab, 'Jonas', ownTexts)));
    await switchTo(page, 'Jonas Vale');
    for (const tab of tabs) {
      await expect(tab.getByRole('button', { name: 'Signed in as Jonas' })).toBeVisible();
      await isLive(tab);
      await expect.poll(async () => wall(tab).allInnerTexts()).toEqual(titles);
      await expect(tab.locator('#live > *')).not.toHaveCount(0);
      await expect(tab.locator('#pulse [data-field=photos]')).toHaveText(String(his.length));
    }
    await expect(page.getByRole('searchbox')).toHaveValue('');
    expect(new URL(page.url()).hash).toBe('#/');
    for (const [nth, told] of seen.entries()) {
      // A tab in the background may draw no frame.
      await tabs[nth]?.bringToFront();
      await expect.poll(told).toEqual([]);
    }
    for (const tab of tabs) {
      const whole = await tab.locator('body').innerText();
      for (const text of ownTexts) expect(whole).not.toContain(text);
    }

    // Not by the address of the other's photo either, nor by that of its picture, kept or not.
    const [first] = hers;
    await page.goto(`/#/photo/${first?.id ?? 0}`);
    await expect(page.locator('#viewer')).toContainText('not in the collection');
    await expect(page.locator('#viewer')).not.toContainText(first?.title ?? '');
    const statuses = await page.evaluate(async (id) => {
      const paths = [
        'small.svg?of=mira&v=1',
        'large.svg?of=mira&v=1',
        'small.svg?v=1',
        'large.svg?of=jonas&v=1',
      ];
      return Promise.all(
        paths.map(async (path) => {
          const response = await fetch(`/api/photos/${id}/${path}`, { cache: 'force-cache' });
          return response.status;
        }),
      );
    }, first?.id ?? 0);
    expect(statuses).toEqual([404, 404, 404, 404]);
  });

  test('leave nothing in the browser for the next', async ({ page, context, demo: { url } }) => {
    await openDemo(page);
    const hers = await photosOf('Mira Solberg', context, url);
    const traces = [
      ...hers.flatMap(({ title, description }) => [title, description].filter((text) => text.length > 12)),
      ...hers.map(({ id }) => `/api/photos/${id}/`),
      'of=mira',
      'pictures-mira',
    ];
    await isKept(page, hers.length);
    const before = await everythingStored(page);
    // The search finds what is there to be found.
    expect(traces.filter((text) => before.includes(text)).length).toBeGreaterThan(traces.length - 3);

    await switchTo(page, 'Jonas Vale');
    await expect(page.getByRole('button', { name: 'Signed in as Jonas' })).toBeVisible();
    await isLive(page);
    const after = await everythingStored(page);
    expect(traces.filter((text) => after.includes(text))).toEqual([]);
    expect(after).toContain('Quarter Past Blue');

    await page.getByRole('button', { name: 'Signed in as Jonas' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page.getByRole('dialog', { name: 'Whose contact sheet?' })).toBeVisible();
    // His answers and his pictures are deleted by two of the worker's parts. To look into a cache is to open it, which makes it anew.
    const namesOfCaches = (): Promise<string[]> => page.evaluate(() => caches.keys());
    await expect.poll(namesOfCaches).not.toContainEqual(expect.stringMatching(/^pictures-/));
    await expect.poll(() => everythingStored(page)).not.toMatch(/Quarter Past Blue|pictures-/);
    await expect(wall(page)).toHaveCount(0);
  });

  test('have their sheet without a network, each only where it was signed in', async ({ page, context }) => {
    await openDemo(page);
    const titles = await wall(page).allInnerTexts();
    await isKept(page, titles.length);
    await context.setOffline(true);
    await page.reload();
    await expect(page.getByRole('button', { name: 'Signed in as Mira' })).toBeVisible();
    await expect.poll(() => wall(page).allInnerTexts()).toEqual(titles);
    await expect(page.locator('#wall .frame.blank')).toHaveCount(0);

    await switchTo(page, 'Jonas Vale');
    await expect(page.getByRole('button', { name: 'Signed in as Jonas' })).toBeVisible();
    await expect(page.locator('#waiting-note')).toContainText(
      'nothing of Jonas Vale’s is kept on this device',
    );
    await expect(wall(page)).toHaveCount(0);
    await page.reload();
    await expect(page.locator('#waiting-note')).toBeVisible();
    await expect(wall(page)).toHaveCount(0);

    await context.setOffline(false);
    await expect(wall(page).first()).toHaveText('Quarter Past Blue', { timeout: 15_000 });
    await expect(page.locator('#waiting-note')).toBeHidden();
    expect((await wall(page).allInnerTexts()).filter((title) => titles.includes(title))).toEqual([]);
  });

  test('sign in again when the server has ended the session', async ({ page }) => {
    await openDemo(page);
    // Past the page: it is not told.
    await page.request.delete('/api/session');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByRole('alert')).toHaveText('Your session has ended. Sign in again.');
    await expect(wall(page)).toHaveCount(0);
    await choose(page, 'Jonas Vale');
    await isLive(page);
    await expect(wall(page).first()).toHaveText('Quarter Past Blue');
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`can be told apart by everybody, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto('/');
      await expect(page.getByRole('dialog')).toBeVisible();
      expect(await axe(page)).toEqual([]);
      await choose(page, 'Mira Solberg');
      await isLive(page);
      expect(await axe(page)).toEqual([]);
      await page.getByRole('button', { name: 'Signed in as Mira' }).click();
      await expect(page.getByRole('dialog', { name: 'Signed in as Mira Solberg' })).toBeVisible();
      expect(await axe(page)).toEqual([]);
      // Nothing reaches over the edge of a phone.
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    });
  }
});
