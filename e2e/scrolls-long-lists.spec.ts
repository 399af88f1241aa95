import type { JSHandle, Locator, Page } from '@playwright/test';
import type { StoreWindow } from 'offstage';
import type { List } from 'offstage/list';
import { addLists, rows } from './lists.ts';
import type { Row } from './lists.ts';
import { sendJson } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

const COUNT = 100_000;

/** Characters of a message: the whole list takes four millions. */
const LARGEST = 8_000;

test.describe('a list that scrolls through a window', () => {
  test('shows rows wherever it is looked at, and has no others', async ({ page, server }) => {
    const { list, row, scroll, largest } = await show(page, server);
    await expect(row(0)).toBeInViewport();
    await expect(row(0)).toHaveAttribute('aria-setsize', String(COUNT));
    for (const first of [50_000, 99_900, 12_345, 40]) {
      await scroll(first);
      await expect(row(first)).toBeInViewport();
      await expect(row(first + 14)).toBeInViewport();
    }
    await list.evaluate((each) => each.focus());
    await page.keyboard.press('End');
    await expect(row(COUNT - 1)).toBeInViewport();
    await expect(row(COUNT - 1)).toHaveAttribute('aria-selected', 'true');
    expect(await selected(list)).toEqual([COUNT - 1]);
    await page.keyboard.press('Home');
    await expect.poll(() => selected(list)).toEqual([0]);
    for (let times = 0; times < 60; times += 1) await page.keyboard.press('ArrowDown');
    await expect.poll(() => selected(list)).toEqual([60]);
    await expect(row(60)).toBeInViewport();
    expect(await largest()).toBeLessThan(LARGEST);
  });

  test('follows what changes, and keeps its place and what is selected', async ({ page, server }) => {
    const { list, row, scroll, serve, largest } = await show(page, server);
    await row(3).click();
    await scroll(5_000);
    await expect(row(5_000)).toBeInViewport();
    const place = await row(5_003).boundingBox();
    expect(await selected(list)).toEqual([3]);

    serve([...rows(-20, 0), ...rows(0, COUNT).with(5_003, { id: 5_003, title: 'Changed' })]);
    const changed = page.getByRole('option', { name: 'Changed', exact: true });
    await expect(changed).toBeInViewport();
    await expect(changed).toHaveAttribute('aria-posinset', String(5_003 + 20 + 1));
    expect(await changed.boundingBox()).toEqual(place);
    expect(await selected(list)).toEqual([3]);

    await scroll(0);
    await expect(row(-20)).toBeInViewport();
    await scroll(20);
    await expect(row(3)).toHaveAttribute('aria-selected', 'true');
    expect(await largest()).toBeLessThan(LARGEST);

    serve(rows(0, 5));
    await expect(page.locator('offstage-list [part~=row]')).toHaveText(rows(0, 5).map(({ title }) => title));
    await list.evaluate((each) => (each.source = null));
    await expect(page.locator('offstage-list [part~=row]')).toHaveCount(0);
  });
});

test.describe('lists of one window', () => {
  test('do not move it against each other, whether they are seen, hidden or gone', async ({
    page,
    server,
  }) => {
    const { list, row, scroll } = await show(page, server);
    await expect(row(0)).toBeInViewport();
    const moves = await list.evaluateHandle((first) => {
      const { source } = first;
      const calls: number[] = [];
      if (!source) return calls;
      const move = source.move.bind(source);
      source.move = (start, count): void => {
        calls.push(start);
        move(start, count);
      };
      for (const css of ['display: none', 'height: 100px; --offstage-list-row-height: 20px', '']) {
        const other = new window.lists.List();
        other.className = 'other';
        other.style.cssText = css;
        other.source = source;
        document.body.append(other);
        if (css === '') other.remove();
      }
      return calls;
    });
    await scroll(5_000);
    await expect(
      page.locator('offstage-list:not(.other)').getByText('Row 5000', { exact: true }),
    ).toBeInViewport();
    await expect
      .poll(() => page.locator('.other [part~=row]:not([part~=pending])').count())
      .toBeGreaterThan(4);
    const asked = (): number => server.journal.of('/rows').length;
    const ticks = asked() + 2;
    await expect.poll(asked).toBeGreaterThan(ticks);
    const before = await moves.evaluate((calls) => calls.length);
    expect(before).toBeLessThan(5);
    await expect.poll(asked).toBeGreaterThan(ticks + 3);
    expect(await moves.evaluate((calls) => calls.length)).toBe(before);
  });

  test('go to where it is when somebody else moves it', async ({ page, server }) => {
    const { list, row, scroll } = await show(page, server);
    await expect(row(0)).toBeInViewport();
    await scroll(5_000);
    await expect(row(5_000)).toBeInViewport();
    await list.evaluate((each) => each.source?.move(20, 50));
    await expect(row(20)).toBeInViewport();
    await list.evaluate((each) => {
      each.remove();
      each.source?.move(700, 50);
      document.body.append(each);
    });
    await expect(row(0)).toBeInViewport();
    await list.evaluate((each) => (each.source = null));
    await expect(page.locator('offstage-list [part~=row]')).toHaveCount(0);
  });
});

interface Shown {
  readonly list: JSHandle<List>;
  readonly row: (id: number) => Locator;
  /** Until the row of that number is the first that is seen. */
  readonly scroll: (first: number) => Promise<void>;
  readonly serve: (rows: readonly Row[]) => void;
  /** The characters of the longest message from the worker. */
  readonly largest: () => Promise<number>;
}

/** A list on a page, fifteen of whose rows are seen, of a long one that a server has and a page polls. */
async function show(page: Page, server: FixtureServer): Promise<Shown> {
  let served: readonly Row[] = rows(0, COUNT);
  server.on('GET /rows', (exchange) => sendJson(exchange, served));
  await addLists(page);
  const shown = await page.evaluateHandle(() => {
    const { Resource, RestStore } = window.offstage;
    const sizes: number[] = [];
    window.witness.overhear((data) => sizes.push(JSON.stringify(data).length));
    const photo = new Resource({ list: { method: 'GET', url: '/rows' } });
    const source: StoreWindow = new RestStore(photo, 'list').window(0, 20);
    const list = new window.lists.List();
    list.style.cssText = 'height: 302px; --offstage-list-row-height: 20px';
    list.source = source;
    document.body.append(list);
    photo.poll('list', {}, { interval: 300 });
    return { list, sizes };
  });
  const viewport = page.locator('offstage-list [part=viewport]').first();
  return {
    list: await shown.evaluateHandle(({ list }) => list),
    row: (id) => page.getByRole('option', { name: `Row ${id}`, exact: true }),
    scroll: (first) => viewport.evaluate((element, top) => void (element.scrollTop = top), first * 20),
    serve: (next) => {
      served = next;
    },
    largest: () => shown.evaluate(({ sizes }) => Math.max(...sizes)),
  };
}

function selected(list: JSHandle<List>): Promise<unknown[]> {
  return list.evaluate((each) => each.selection.map((row) => Reflect.get(Object(row), 'id')));
}
