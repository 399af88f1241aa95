import { expect, test } from 'vitest';

test('where there is no document it can be imported all the same', async () => {
  const { List, ListController, ChangeSelectionEvent } = await import('./index.ts');
  expect([List, ListController, ChangeSelectionEvent].map(({ name }) => name)).toEqual([
    'List',
    'ListController',
    'ChangeSelectionEvent',
  ]);
  expect(() => List.define()).not.toThrow();
});
