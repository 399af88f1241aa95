import { addLists, rows } from './lists.ts';
import type { Row } from './lists.ts';
import { expect, test } from './test.ts';

test.describe('a controller', () => {
  test('keeps the items of a <ul>, which its delegate configures once and binds at every change', async ({
    page,
  }) => {
    await addLists(page, '<ul></ul>');
    const outcome = await page.evaluate(
      (model) => {
        const list = document.querySelector('ul');
        if (!list) throw new Error('There is no ul');
        const calls: string[] = [];
        const delegate = {
          configureItem: (item: HTMLElement): void => {
            calls.push('configure');
            item.dataset['configured'] = 'yes';
          },
          bindItem: (item: HTMLElement, row: Row, index: number): void => {
            calls.push(`bind ${row.id} at ${index}`);
            item.append(` (${index})`);
          },
          filter: ({ id }: Row): boolean => id !== 1,
          sorter: (a: Row, b: Row): number => b.id - a.id,
        };
        const controller = new window.lists.ListController(model, list, '', delegate);
        const first = Array.from(list.children);
        const texts = [first.map(({ textContent }) => textContent)];
        const counts = [calls.splice(0)];
        controller.selection = [{ id: 2 }];
        controller.model = [...model, { id: 3, title: 'Row 3' }];
        texts.push(Array.from(list.children, ({ textContent }) => textContent));
        counts.push(calls.splice(0).toSorted());
        const kept = first.map((item) => Array.from(list.children).indexOf(item));
        const selected = Array.from(
          list.querySelectorAll('[data-selected]'),
          ({ textContent }) => textContent,
        );
        controller.model = model.map((row) => (row.id === 2 ? { ...row, title: 'Changed' } : row));
        controller.iconPath = 'icon';
        controller.labelPath = 'id';
        controller.delegate = {};
        texts.push(Array.from(list.children, ({ textContent }) => textContent));
        const configured = list.querySelectorAll('[data-configured]').length;
        controller.model = [{ id: 7, icon: 'data:,' }];
        const icons = Array.from(list.querySelectorAll('img'), (icon) => [
          icon.getAttribute('src'),
          icon.alt,
        ]);
        controller.dispose();
        return { texts, counts, kept, selected, configured, icons, left: list.childElementCount };
      },
      rows(0, 3),
    );
    expect(outcome).toEqual({
      texts: [
        ['Row 2 (0)', 'Row 0 (1)'],
        ['Row 3 (0)', 'Row 2 (1)', 'Row 0 (2)'],
        ['0', '1', '2'],
      ],
      counts: [
        ['configure', 'bind 2 at 0', 'configure', 'bind 0 at 1'],
        ['bind 0 at 2', 'bind 2 at 1', 'bind 3 at 0', 'configure'],
      ],
      kept: [1, 2],
      selected: ['Row 2 (1)'],
      configured: 2,
      icons: [['data:,', '']],
      left: 0,
    });
  });

  test('has the list widget show its rows, also one that stands in the document already', async ({
    page,
  }) => {
    await addLists(page, '<offstage-list label-path="title" selection-mode="multiple"></offstage-list>');
    const outcome = await page.evaluate(
      (model) => {
        const list = document.querySelector<HTMLElement>('offstage-list');
        if (!list) throw new Error('There is no list');
        const isDefined = customElements.get('offstage-list') !== undefined;
        const controller = new window.lists.ListController(model, list, '', {
          filter: ({ id }: Row) => id > 0,
        });
        const { List } = window.lists;
        if (!(list instanceof List)) throw new Error('The element was not upgraded');
        const told: unknown[] = [];
        controller.addEventListener('changeSelection', () => told.push(controller.selection));
        list.selection = [{ id: 0 }, { id: 2 }];
        controller.model = model.toReversed();
        const texts = Array.from(
          list.shadowRoot?.querySelectorAll('[part~=row]') ?? [],
          (row) => row.textContent,
        );
        const outside = [list.labelPath, list.selectionMode, list.selection, controller.selection];
        controller.dispose();
        return { isDefined, told, texts, outside, left: list.model };
      },
      rows(0, 3),
    );
    const two = rows(2, 3);
    expect(outcome).toEqual({
      // The import alone has defined it.
      isDefined: true,
      told: [two],
      texts: ['Row 2', 'Row 1'],
      outside: ['title', 'multiple', two, two],
      left: null,
    });
  });

  test('says what it cannot do', async ({ page }) => {
    await addLists(page);
    const errors = await page.evaluate(() => {
      const { ListController, List } = window.lists;
      const { misused, thrown } = window.witness;
      const controller = new ListController(null, new List());
      return [
        thrown(() => new ListController(null, document.body)),
        thrown(() => Reflect.construct(ListController, [null, null])),
        thrown(() => Reflect.construct(ListController, [{ items: [] }, new List()])),
        thrown(() => {
          if (!Reflect.set(controller, 'model', 'rows')) throw new Error('not set');
        }),
        misused(Reflect, 'set', new List(), 'selectionMode', 'some'),
      ];
    });
    expect(errors).toEqual([
      'TypeError: A list is a <select>, <ul>, <ol> or <offstage-list>, not <body>',
      'TypeError: A list is a <select>, <ul>, <ol> or <offstage-list>, not object',
      expect.stringContaining('is an array of rows or null, not object'),
      expect.stringContaining('is an array of rows or null, not string'),
      "RangeError: selectionMode is 'none', 'single' or 'multiple', not 'some'",
    ]);
  });
});
