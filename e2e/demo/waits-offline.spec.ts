import type { Locator, Page } from '@playwright/test';
import {
  axe,
  badge,
  card,
  doneAfter,
  drawer,
  edit,
  frameOf,
  listen,
  logNow,
  look,
  markOf,
  photograph,
  remove,
  says,
} from './outbox.ts';
import { isLive, openDemo, switchTo, test, expect } from './test.ts';

/** The newest photo. */
const made = (page: Page): Locator => page.locator('#wall .frame').first();

test.describe('what is changed in the demo without a network', () => {
  test.describe.configure({ timeout: 120_000 });

  test('waits, is still there after a reload, and arrives exactly once', async ({ page, context }) => {
    await openDemo(page);
    const { request } = page;
    const [edited, deleted] = [await photograph(request, 'To edit'), await photograph(request, 'To delete')];
    await look(page, edited);
    await look(page, deleted);
    const place = await logNow(request);
    const other = await context.newPage();
    await openDemo(other);

    await context.setOffline(true);
    await edit(page, edited, 'Edited once');
    await page.goto(`/#/photo/${edited}/edit`);
    // The form goes on with what waits, and its picture is painted without the server.
    await expect(page.getByLabel('Title')).toHaveValue('Edited once');
    await expect(page.locator('#editor img')).toHaveJSProperty('naturalWidth', 720);
    await edit(page, edited, 'Edited twice');
    await remove(page, deleted);
    await page.goto('/#/new');
    await page.getByLabel('Title').fill('Made in a tunnel');
    await page.getByRole('button', { name: 'Add to the sheet' }).click();
    await says(page, '3 changes wait.');
    await says(other, '3 changes wait.');

    await page.reload();
    await says(page, '3 changes wait.');
    // The sheet shows it as if it were done, with a mark.
    for (const tab of [page, other]) {
      await expect(markOf(tab, edited)).toHaveText('Edit waits');
      await expect(frameOf(tab, edited)).toContainText('Edited twice');
      await expect(frameOf(tab, deleted)).toHaveCount(0);
      await expect(made(tab)).toContainText('Made in a tunnel');
      await expect(made(tab).locator('.waiting-mark')).toHaveText('New, waits');
      await expect(made(tab).locator('img')).toHaveJSProperty('naturalWidth', 720);
    }
    // Neither the frame of a new photo goes when the server has numbered it, nor its page.
    const frame = await made(page).elementHandle();
    await made(page).getByRole('link').click();
    await expect(page).toHaveURL(/#\/photo\/temporary-/);
    await badge(page).click();
    await expect(card(page, 'Edit of “To edit”')).toContainText('To edit → Edited twice');
    await expect(card(page, 'Edit of “To edit”')).toContainText('when the network is back');
    await expect(card(page, 'Delete “To delete”')).toBeVisible();
    await expect(card(page, 'New photo “Made in a tunnel”')).toBeVisible();
    expect(await doneAfter(request, place)).toEqual([]);

    await context.setOffline(false);
    await says(page, 'Nothing waits.');
    await expect(drawer(page)).toContainText('kept here until the server has it');
    expect(await doneAfter(request, place)).toEqual([
      'created Made in a tunnel',
      'deleted To delete',
      'updated Edited twice',
    ]);
    await page.keyboard.press('Escape');
    await says(other, 'Nothing waits.');
    for (const tab of [page, other]) {
      await expect(frameOf(tab, edited)).toContainText('Edited twice');
      await expect(markOf(tab, edited)).toBeHidden();
      await expect(frameOf(tab, deleted)).toHaveCount(0);
      await expect(made(tab).locator('.waiting-mark')).toBeHidden();
      await expect(made(tab).locator('img')).toHaveAttribute('src', /^\/api\/photos\/\d+\/small/);
    }
    await expect(page).toHaveURL(/#\/photo\/\d+$/);
    await expect(page.locator('#viewer [data-field=source]')).toContainText('from the server');
    expect(await frame?.evaluate((element) => element === document.querySelector('#wall .frame'))).toBe(true);
  });

  test('can be edited and discarded before it is sent, and is its user’s alone', async ({
    page,
    context,
  }) => {
    await openDemo(page);
    const id = await photograph(page.request, 'To keep');
    await look(page, id);
    const place = await logNow(page.request);
    await context.setOffline(true);
    await page.goto('/#/new');
    await page.getByLabel('Title').fill('Mistyped');
    await page.getByRole('button', { name: 'Add to the sheet' }).click();
    // The form closes once the photo is safe on the device, and the page goes on from there.
    await says(page, '1 change waits.');
    await remove(page, id);
    await says(page, '2 changes wait.');

    await badge(page).click();
    await card(page, 'New photo “Mistyped”').getByRole('button', { name: 'Edit' }).click();
    await expect(page.getByLabel('Title')).toHaveValue('Mistyped');
    await page.getByLabel('Title').fill('Typed well');
    await page.getByRole('button', { name: 'Save' }).click();
    await badge(page).click();
    await expect(card(page, 'New photo “Typed well”')).toBeVisible();

    await card(page, 'Delete “To keep”').getByRole('button', { name: 'Discard' }).click();
    await page
      .getByRole('dialog', { name: 'Discard this change?' })
      .getByRole('button', { name: 'Discard' })
      .click();
    await says(page, '1 change waits.');
    // The keyboard is not lost with what it was on.
    await expect(drawer(page).getByRole('heading', { name: 'New photo “Typed well”' })).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(drawer(page)).toBeHidden();
    await expect(badge(page)).toBeFocused();

    await context.setOffline(false);
    await says(page, 'Nothing waits.');
    expect(await doneAfter(page.request, place)).toEqual(['created Typed well']);

    await context.setOffline(true);
    await edit(page, id, 'Hers');
    await says(page, '1 change waits.');
    await switchTo(page, 'Jonas Vale');
    await says(page, 'Nothing waits.');
    await context.setOffline(false);
    await isLive(page);
    await says(page, 'Nothing waits.');
    await switchTo(page, 'Mira Solberg');
    await isLive(page);
    await says(page, 'Nothing waits.');
    await expect(page.locator(`#wall [data-id="${id}"]`)).toContainText('Hers');
    // The sheet shows it before the server has it, and the outbox is empty before it is read.
    await expect.poll(() => doneAfter(page.request, place)).toEqual(['created Typed well', 'updated Hers']);
  });

  test('that somebody else has changed, too, is decided side by side', async ({ page, context }) => {
    await openDemo(page);
    const { request } = page;
    const names = ['Mine stays', 'Theirs stays', 'Lost', 'Not deleted'];
    const ids: number[] = [];
    for (const name of names) ids.push(await photograph(request, name));
    const [mine = 0, theirs = 0, lost = 0, kept = 0] = ids;
    for (const id of ids) await look(page, id);
    const told = await listen(page);
    await context.setOffline(true);
    for (const id of [mine, theirs, lost]) await edit(page, id, `My title ${id}`);
    await remove(page, kept);
    await expect(frameOf(page, kept)).toHaveCount(0);
    await says(page, '4 changes wait.');
    for (const id of [mine, theirs, kept])
      await request.put(`/api/photos/${id}`, { data: { title: `Their title ${id}`, description: 'Theirs' } });
    await request.delete(`/api/photos/${lost}`);
    await context.setOffline(false);
    await says(page, '4 changes wait, 4 for you.');
    // A conflict stays shown until somebody decides; what was refused is not.
    await expect(markOf(page, mine)).toHaveText('Conflict');
    await expect(frameOf(page, mine)).toContainText(`My title ${mine}`);
    await expect(frameOf(page, kept)).toHaveCount(0);
    await expect(frameOf(page, lost)).toHaveCount(0);
    await expect.poll(told).toContain('needs your decision: open the outbox');
    await badge(page).click();

    const conflict = card(page, `Edit of “Their title ${mine}”`);
    const [server, own] = ['On the server', 'Yours'].map((heading) =>
      conflict.locator('.version', { hasText: heading }),
    );
    await expect(server ?? conflict).toContainText(`Their title ${mine}`);
    await expect(own ?? conflict).toContainText(`My title ${mine}`);
    await expect(conflict.locator('.differs')).toHaveCount(4);
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await says(page, '3 changes wait, 3 for you.');
    await card(page, `Edit of “Their title ${theirs}”`)
      .getByRole('button', { name: 'Keep the server’s' })
      .click();
    await card(page, `Delete “Their title ${kept}”`).getByRole('button', { name: 'Keep the photo' }).click();
    const orphan = card(page, 'Edit of “Lost”');
    await expect(orphan).toContainText('Somebody has deleted this photo.');
    await orphan.getByRole('button', { name: 'Add as new' }).click();
    await says(page, 'Nothing waits.');

    const titleOf = async (id: number): Promise<string> => {
      const { title }: { title: string } = await (await request.get(`/api/photos/${id}`)).json();
      return title;
    };
    expect(await Promise.all([mine, theirs, kept].map((id) => titleOf(id)))).toEqual([
      `My title ${mine}`,
      `Their title ${theirs}`,
      `Their title ${kept}`,
    ]);
    await expect(page.locator('#wall')).toContainText(`My title ${lost}`);
    await expect(frameOf(page, mine)).toContainText(`My title ${mine}`);
    for (const id of [theirs, kept]) await expect(frameOf(page, id)).toContainText(`Their title ${id}`);
  });

  for (const [colorScheme, width] of [
    ['light', 390],
    ['dark', 1280],
  ] as const) {
    test(`can be read and used by everybody, ${colorScheme}, ${width} wide`, async ({ page, context }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 844 });
      await openDemo(page);
      const [fought, id] = [
        await photograph(page.request, 'Fought over'),
        await photograph(page.request, 'Plain'),
      ];
      await look(page, fought);
      await look(page, id);
      await page.goto('/#/');
      const before = await page.locator('#wall').boundingBox();
      const bar = await badge(page).boundingBox();
      await context.setOffline(true);
      await edit(page, fought, 'Ours');
      await page.request.put(`/api/photos/${fought}`, { data: { title: 'Theirs' } });
      await context.setOffline(false);
      await says(page, '1 change waits, 1 for you.');
      await page.request.post('/api/trouble', { data: { failRate: 1 } });
      try {
        await edit(page, id, 'In trouble');
        await says(page, '2 changes wait, 1 for you.');
        await page.goto('/#/');
        await expect(markOf(page, id)).toHaveText(/Edit waits|Sending/);
        // Nothing has moved for the marks.
        expect(await badge(page).boundingBox()).toEqual(bar);
        expect((await page.locator('#wall .frame').first().boundingBox())?.width).toBeGreaterThan(0);
        expect((await page.locator('#wall').boundingBox())?.width).toBe(before?.width);
        expect(await axe(page)).toEqual([]);
        await badge(page).click();
        await expect(card(page, 'Edit of “Theirs”')).toBeVisible();
        await expect(drawer(page).getByRole('heading', { name: 'Outbox' })).toBeFocused();
        expect(await axe(page)).toEqual([]);
        const sheet = await drawer(page).boundingBox();
        expect(Math.round((sheet?.x ?? 0) + (sheet?.width ?? 0))).toBe(width);
        expect(sheet?.width).toBe(width === 390 ? 390 : 480);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        await card(page, 'Edit of “Plain”').getByRole('button', { name: 'Discard' }).click();
        await page
          .getByRole('dialog', { name: 'Discard this change?' })
          .getByRole('button', { name: 'Discard' })
          .click();
        await expect(drawer(page).getByRole('status')).toContainText('Discarded');
        await card(page, 'Edit of “Theirs”').getByRole('button', { name: 'Keep the server’s' }).click();
        await says(page, 'Nothing waits.');
      } finally {
        await page.request.delete('/api/trouble');
      }
    });
  }
});
