import { AxeBuilder } from '@axe-core/playwright';
import type { Locator } from '@playwright/test';
import { addLists, rows, showList } from './lists.ts';
import { expect, test } from './test.ts';

test.describe('the list widget', () => {
  test('is a listbox whose single selection follows the keys', async ({ page }) => {
    const { list, options, told, active, selected, scroll } = await showList(page, 'single');
    const listbox = page.getByRole('listbox', { name: 'Photos' });
    await list.evaluate((each) => each.focus());
    expect([await active(), await told()]).toEqual(['Row 0', []]);
    const steps: [key: string, row: number, scrollTop: number][] = [
      ['ArrowDown', 1, 0],
      ['ArrowUp', 0, 0],
      ['PageDown', 14, 0],
      ['End', 99, 1700],
      ['PageUp', 85, 1700],
      ['ArrowDown', 86, 1700],
    ];
    for (const [key, row, scrollTop] of steps) {
      await page.keyboard.press(key);
      const seen = [await active(), await selected(), await scroll()];
      expect([key, ...seen]).toEqual([key, `Row ${row}`, [row], scrollTop]);
    }
    expect(await told()).toEqual(['1 < ', '0 < 1', '14 < 0', '99 < 14', '85 < 99', '86 < 85']);
    const row = listbox.getByRole('option', { name: 'Row 86', selected: true });
    await expect(row).toHaveAttribute('aria-posinset', '87');
    await expect(row).toHaveAttribute('aria-setsize', '100');
    await expect(listbox.getByRole('option', { selected: true })).toHaveCount(1);
    await page.keyboard.press('Home');
    expect([await scroll(), await active()]).toEqual([0, 'Row 0']);
    await page.keyboard.type('row 42');
    expect([await active(), await selected()]).toEqual(['Row 42', [42]]);
    await page.keyboard.press('Enter');
    expect(await selected()).toEqual([42]);
    await options.filter({ hasText: 'Row 43' }).click();
    expect(await selected()).toEqual([43]);
    await expect(listbox).not.toHaveAttribute('aria-multiselectable');
    await expect(listbox).toBeFocused();
  });

  test('selects several by keys, mouse and finger', async ({ page }) => {
    const { list, options, told, active, selected } = await showList(page, 'multiple');
    await expect(page.getByRole('listbox')).toHaveAttribute('aria-multiselectable', 'true');
    await list.evaluate((each) => each.focus());
    const steps: [keys: string, rows: number[]][] = [
      ['ArrowDown', []],
      ['Space', [1]],
      ['ArrowDown', [1]],
      ['ArrowDown', [1]],
      ['Enter', [1, 3]],
      ['Shift+ArrowDown', [3, 4]],
      ['Shift+ArrowUp', [3]],
      ['Shift+ArrowUp', [2, 3]],
      ['Home', [2, 3]],
      ['Shift+Space', [0]],
    ];
    for (const [keys, ids] of steps) {
      await page.keyboard.press(keys);
      expect([keys, await selected()]).toEqual([keys, ids]);
    }
    await page.keyboard.press('Control+a');
    expect((await selected()).length).toBe(100);
    await told();
    const row = (id: number): Locator => options.filter({ hasText: new RegExp(`^Row ${id}$`) });
    await row(4).click();
    await row(6).click({ modifiers: ['Control'] });
    await row(8).click({ modifiers: ['Shift'] });
    expect(await told()).toEqual([expect.stringMatching(/^4 < 0 1 2/), '4 6 < 4', '6 7 8 < 4 6']);
    await row(2).evaluate((element) =>
      element.dispatchEvent(
        new PointerEvent('click', { pointerType: 'touch', bubbles: true, composed: true }),
      ),
    );
    expect([await selected(), await active()]).toEqual([[6, 7, 8, 2], 'Row 2']);
  });

  test('leaves the keys to a field in a row', async ({ page }) => {
    const { list, options, active, selected } = await showList(page, 'single');
    await list.evaluate((each) => {
      each.delegate = {
        bindItem: (row: HTMLElement) => row.replaceChildren(document.createElement('input')),
      };
    });
    const field = options.nth(2).locator('input');
    await field.focus();
    await page.keyboard.type('row 7 ');
    await page.keyboard.press('ArrowDown');
    await expect(field).toHaveValue('row 7 ');
    expect([await active(), await selected()]).toEqual([null, []]);
  });

  test('is a plain list where nothing can be selected', async ({ page }) => {
    const { list, options, selected, scroll } = await showList(page, 'none');
    await expect(page.getByRole('list', { name: 'Photos' }).getByRole('listitem')).not.toHaveCount(0);
    await options.first().click();
    await page.keyboard.press('End');
    await expect.poll(() => scroll()).toBe(1700);
    expect(await selected()).toEqual([]);
    await list.evaluate((each) => void (each.selection = each.model ?? []));
    expect(await selected()).toEqual([]);
    await expect(page.locator('offstage-list [aria-selected]')).toHaveCount(0);
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`nothing keeps anybody from using a list, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await addLists(
      page,
      '<main><h1>Lists</h1><label>Photo <select></select></label><ul></ul></main><style>:root { color-scheme: light dark }</style>',
    );
    await page.evaluate(
      (model) => {
        const { List, ListController } = window.lists;
        const natives = document.querySelectorAll<HTMLElement>('select, ul');
        for (const native of natives) void new ListController(model, native);
        for (const mode of ['single', 'multiple', 'none'] as const) {
          const list = new List();
          list.setAttribute('aria-label', `${mode} selection`);
          list.selectionMode = mode;
          list.model = model;
          list.selection = model.slice(1, 3);
          document.querySelector('main')?.append(list);
        }
      },
      rows(0, 100),
    );
    await page.getByRole('listbox', { name: 'multiple selection' }).focus();
    await page.keyboard.press('ArrowDown');
    const { violations, passes } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    const looked =
      passes.find(({ id }) => id === 'color-contrast')?.nodes.map(({ target }) => String(target)) ?? [];
    expect(looked.filter((target) => target.includes('offstage-list')).length).toBeGreaterThan(30);
    const background = page.locator('offstage-list').first();
    const expected = colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(27, 27, 31)';
    await expect(background).toHaveCSS('background-color', expected);
  });
}
