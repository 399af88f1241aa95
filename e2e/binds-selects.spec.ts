import type { ListController } from 'offstage/list';
import { addLists, rows } from './lists.ts';
import { sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

test.describe('a controller', () => {
  test('has a <select> show what a store holds, and keeps its selection', async ({ page, server }) => {
    let title = 'two';
    let photos = [{ id: 2 }, { id: 3 }];
    server.on('GET /photos', (exchange) => {
      sendJson(
        exchange,
        photos.map(({ id }) => ({ id, author: { name: `${title} ${id}` } })),
      );
    });
    await addLists(page, '<select><option value="">Choose</option></select>');
    const bound = await page.evaluateHandle(() => {
      const { Resource, RestStore } = window.offstage;
      const photo = new Resource({ list: { method: 'GET', url: '/photos' } });
      const store = new RestStore(photo, 'list');
      const select = document.querySelector('select');
      if (!select) throw new Error('There is no select');
      const controller = new window.lists.ListController(null, select, 'author.name');
      const told: unknown[] = [];
      controller.addEventListener('changeSelection', () => told.push(controller.selection));
      store.bind('model', controller, 'model');
      return { photo, controller, told, select };
    });
    const fetchAgain = (): Promise<unknown> => bound.evaluate(({ photo }) => photo.result(photo.list()));
    const select = page.locator('select');
    await expect(select.locator('option')).toHaveText(['Choose']);
    await fetchAgain();
    await expect(select.locator('option')).toHaveText(['Choose', 'two 2', 'two 3']);
    await expect(select).toHaveValue('');
    expect(await bound.evaluate(({ controller }) => controller.selection)).toEqual([]);

    await select.selectOption('two 3');
    await expect(select).toHaveValue('3');
    photos = [{ id: 1 }, { id: 2 }, { id: 3 }];
    title = 'new';
    await fetchAgain();
    await expect(select.locator('option')).toHaveText(['Choose', 'new 1', 'new 2', 'new 3']);
    await expect(select).toHaveValue('3');
    expect(await bound.evaluate(({ controller }) => controller.selection)).toEqual([
      { id: 3, author: { name: 'new 3' } },
    ]);

    photos = [{ id: 1 }, { id: 2 }];
    await fetchAgain();
    await expect(select).toHaveValue('');
    expect(await bound.evaluate(({ told }) => told)).toEqual([[{ id: 3, author: { name: 'two 3' } }], []]);
    await bound.evaluate(({ controller }) => void (controller.selection = [{ id: 1 }]));
    await expect(select).toHaveValue('1');

    await bound.evaluate(({ controller }) => controller.dispose());
    await fetchAgain();
    await expect(select.locator('option')).toHaveText(['Choose']);
  });

  test('leaves a <select> to the browser at first, and shows none where the selected row is gone', async ({
    page,
  }) => {
    await addLists(page, '<select></select>');
    const states = await page.evaluate(
      (model) => {
        const select = document.querySelector('select');
        if (!select) throw new Error('There is no select');
        const controller = new window.lists.ListController(null, select);
        const ids = (): unknown[] => [
          select.selectedIndex,
          ...controller.selection.map((row) => Reflect.get(Object(row), 'id')),
        ];
        const seen = [ids()];
        const step = (change: () => unknown): void => {
          change();
          seen.push(ids());
        };
        step(() => (controller.model = model));
        step(() => (controller.model = [{ id: -1, title: 'Above' }, ...model]));
        step(() => (controller.model = model.slice(1)));
        step(() => (controller.model = model));
        step(() => (controller.selection = [{ id: 2 }]));
        step(() => (controller.model = model.toReversed()));
        step(() => (controller.model = null));
        step(() => (controller.model = model));
        step(() => (controller.selection = []));
        return seen;
      },
      rows(0, 3),
    );
    expect(states).toEqual([[-1], [0, 0], [1, 0], [-1], [-1], [2, 2], [0, 2], [-1], [2, 2], [-1]]);
  });

  test('keeps several selected in a <select multiple>', async ({ page }) => {
    await addLists(page, '<select multiple></select>');
    const controller = await page.evaluateHandle(
      (model): ListController => {
        const select = document.querySelector('select');
        if (!select) throw new Error('There is no select');
        return new window.lists.ListController(model, select);
      },
      rows(0, 4),
    );
    await page.locator('select').selectOption(['1', '3']);
    const selection = (): Promise<unknown> => controller.evaluate((each) => each.selection);
    expect(await selection()).toEqual([...rows(1, 2), ...rows(3, 4)]);
    await controller.evaluate((each, model) => void (each.model = model), rows(-2, 3));
    expect(await selection()).toEqual(rows(1, 2));
    await controller.evaluate((each, model) => void (each.selection = model), rows(-1, 1));
    await expect(page.locator('select')).toHaveValues(['-1', '0']);
  });
});
