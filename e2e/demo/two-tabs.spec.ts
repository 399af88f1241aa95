import { stopWorkers } from '../test.ts';
import { expect, openDemo, test } from './test.ts';

test.describe('two tabs of the demo', () => {
  test('each log their own events, and what is done in one is seen and told in the other', async ({
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

    // The live lists are told every change once and in order, by the next worker too, and after a reload.
    const tellBoth = async (word: string): Promise<void> => {
      for (const tab of [page, other]) {
        await expect(tab.locator('#live > :first-child')).toHaveText(new RegExp(`${title}\\s*${word}`));
      }
    };
    await tellBoth('added');
    const path = `/api/photos/${(await page.locator('#wall .frame').first().getAttribute('data-id')) ?? ''}`;
    await stopWorkers(context);
    await page.request.put(path, { data: { description: 'Changed' } });
    await tellBoth('changed');
    await Promise.all([other.reload(), page.request.delete(path)]);
    await tellBoth('deleted');
    const [told, toldOther] = await Promise.all(
      [page, other].map((tab) => tab.locator('#live > *').allInnerTexts()),
    );
    expect(toldOther).toEqual(told);
    // What was there before either tab was is told, too.
    expect(told?.length).toBeGreaterThan(20);
    expect(told?.filter((row) => row.includes(title))).toHaveLength(3);
  });
});
