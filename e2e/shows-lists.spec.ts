import { addLists, rows, showList } from './lists.ts';
import { expect, test } from './test.ts';

test.describe('the list widget', () => {
  test('keeps its place and its selection when rows come above', async ({ page }) => {
    const { list, options, told, show, scroll, active, selected } = await showList(page, 'single');
    await options.first().click();
    await page.keyboard.press('ArrowDown');
    await told();
    await scroll(405);
    expect(await active(), 'the active row is no element any more').toBeNull();
    const seen = await options.filter({ hasText: 'Row 20' }).boundingBox();
    await show(rows(-30, 100));
    expect([await scroll(), await selected(), await told()]).toEqual([1005, [1], []]);
    expect(await options.filter({ hasText: 'Row 20' }).boundingBox()).toEqual(seen);

    // The row that has the focus is out of sight: the next key goes on from there.
    expect(await active()).toBeNull();
    await page.keyboard.press('ArrowDown');
    expect([await active(), await selected()]).toEqual(['Row 2', [2]]);
    await told();
    await show(rows(3, 100));
    expect([await selected(), await told()]).toEqual([[], [' < 2']]);

    await scroll(0);
    await show(rows(-5, 100));
    expect(await scroll()).toBe(0);
    await expect(options.first()).toHaveText('Row -5');
    await show(rows(0, 2));
    await expect(options).toHaveText(['Row 0', 'Row 1']);
    await list.evaluate((each) => void (each.model = null));
    await expect(options).toHaveCount(0);
  });

  test('renders what is seen of 100,000 rows, wherever that is', async ({ page }) => {
    const { options, scroll, list } = await showList(page, 'multiple', []);
    await list.evaluate((each) => {
      each.model = Array.from({ length: 100_000 }, (_, id) => ({ id, title: `Row ${id}` }));
    });
    const counts = [await options.count()];
    await scroll(1_000_000);
    counts.push(await options.count());
    await expect(options.filter({ hasText: /^Row 50000$/ })).toBeInViewport();
    await list.evaluate((each) => each.focus());
    await page.keyboard.press('End');
    await expect(options.filter({ hasText: 'Row 99999' })).toBeInViewport();
    counts.push(await options.count());
    for (const count of counts) expect(count).toBeLessThan(40);
    const last = await options.last().evaluateHandle((row) => row);
    await list.evaluate((each) => {
      each.model = (each.model ?? []).with(99_990, { id: 99_990, title: 'Changed' });
    });
    await expect(options.filter({ hasText: 'Changed' })).toBeInViewport();
    expect(await last.evaluate((row) => row.isConnected)).toBe(true);
    await page.keyboard.press('Control+a');
    expect(await list.evaluate((each) => each.selection.length)).toBe(100_000);
  });

  test('takes the height of its rows from what is in them, and follows its own size', async ({ page }) => {
    const { list, options } = await showList(page, 'single');
    await list.evaluate((each) => {
      each.style.cssText = 'height: auto; max-height: 200px; font: 40px/50px serif';
    });
    const height = async (): Promise<number | undefined> => (await options.first().boundingBox())?.height;
    await expect.poll(height).toBe(80);
    await expect.poll(() => options.count()).toBe(11);
    await list.evaluate((each) => {
      each.style.maxHeight = '600px';
    });
    await expect.poll(() => options.count()).toBe(16);
  });

  test('was told things before it was known', async ({ page }) => {
    await addLists(
      page,
      '<h2 id="name">All photos</h2><offstage-list aria-labelledby="name"></offstage-list>',
    );
    await page.evaluate(
      (model) => {
        const list = document.querySelector('offstage-list');
        Object.assign(Object(list), { labelPath: 'id', selection: [{ id: 1 }], model });
        window.lists.List.define();
        window.lists.List.define();
      },
      rows(0, 3),
    );
    const listbox = page.getByRole('listbox', { name: 'All photos' });
    await expect(listbox.getByRole('option')).toHaveText(['0', '1', '2']);
    await expect(listbox.getByRole('option', { selected: true })).toHaveText('1');
  });

  test('can be had under a strict policy', async ({ page, server }) => {
    const body = '<!doctype html><title>Strict</title><script type="module" src="/lists.js"></script>';
    server.on('GET /strict', ({ response }) => {
      const policy =
        "default-src 'none'; script-src 'self'; trusted-types lit-html; require-trusted-types-for 'script'";
      response.setHeader('Content-Security-Policy', policy);
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(body);
    });
    await page.goto('/strict');
    await page.evaluate(
      (model) => {
        document.addEventListener('securitypolicyviolation', ({ violatedDirective }) => {
          document.title = violatedDirective;
        });
        const list = new window.lists.List();
        list.model = model;
        document.body.append(list);
      },
      rows(0, 100),
    );
    const first = page.getByRole('option', { name: 'Row 0' });
    await expect(first).toHaveCSS('display', 'flex');
    await first.click();
    await expect(first).toHaveCSS('background-color', 'rgb(47, 75, 184)');
    await expect(page).toHaveTitle('Strict');
  });
});
