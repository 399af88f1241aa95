import type { JSHandle, Locator, Page } from '@playwright/test';
import type { List, SelectionMode } from 'offstage/list';

export interface Row {
  readonly id: number;
  readonly title: string;
}

/** Rows from one id up to, but without, another. */
export function rows(from: number, to: number): Row[] {
  return Array.from({ length: to - from }, (_, at) => ({ id: from + at, title: `Row ${from + at}` }));
}

/** Adds `offstage/list` and elements to the page. */
export async function addLists(page: Page, body = ''): Promise<void> {
  await page.addScriptTag({ url: '/lists.js', type: 'module' });
  await page.waitForFunction(() => 'lists' in window);
  await page.evaluate((html) => {
    document.body.insertAdjacentHTML('beforeend', html);
  }, body);
}

/** A list of a hundred rows, fifteen of which are seen, and what it tells. */
export interface Shown {
  readonly list: JSHandle<List>;
  readonly options: Locator;
  readonly told: () => Promise<string[]>;
  readonly show: (model: readonly Row[]) => Promise<void>;
  readonly scroll: (to?: number) => Promise<number>;
  readonly active: () => Promise<string | null>;
  readonly selected: () => Promise<number[]>;
}

export async function showList(
  page: Page,
  mode: SelectionMode,
  model: readonly Row[] = rows(0, 100),
): Promise<Shown> {
  await addLists(page);
  const shown = await page.evaluateHandle(
    ([selectionMode, initial]) => {
      const list = new window.lists.List();
      const told: string[] = [];
      list.addEventListener('changeSelection', (event) => {
        if (!(event instanceof window.lists.ChangeSelectionEvent)) return;
        const ids = [event.value, event.getOldData()].map((each) =>
          each.map((row) => Reflect.get(Object(row), 'id')).join(' '),
        );
        told.push(ids.join(' < '));
      });
      list.setAttribute('aria-label', 'Photos');
      list.style.cssText = 'height: 302px; --offstage-list-row-height: 20px';
      list.selectionMode = selectionMode;
      list.model = initial;
      document.body.append(list);
      return { list, told };
    },
    [mode, model] as const,
  );
  const list = await shown.evaluateHandle((each) => each.list);
  const viewport = page.locator('offstage-list [part=viewport]');
  return {
    list,
    options: page.locator('offstage-list [part~=row]'),
    told: () => shown.evaluate(({ told }) => told.splice(0)),
    show: (next) => list.evaluate((each, newer) => void (each.model = newer), next),
    scroll: (to) =>
      viewport.evaluate(async (element, top) => {
        if (top !== undefined) element.scrollTop = top;
        for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
        return element.scrollTop;
      }, to),
    active: () =>
      viewport.evaluate((element) => {
        const id = element.getAttribute('aria-activedescendant');
        return id === null ? null : (element.querySelector(`#${id}`)?.textContent ?? 'not there');
      }),
    selected: () => list.evaluate((each) => each.selection.map((row) => Reflect.get(Object(row), 'id'))),
  };
}
