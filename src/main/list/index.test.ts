import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test('where there is no document it can be imported all the same', async () => {
  const { List, ListController, ChangeSelectionEvent } = await import('./index.ts');
  expect([List, ListController, ChangeSelectionEvent].map(({ name }) => name)).toEqual([
    'List',
    'ListController',
    'ChangeSelectionEvent',
  ]);
  expect(() => List.define()).not.toThrow();
});

test('imported, it defines the element, once', async () => {
  const define = vi.fn<(name: string, element: unknown) => void>();
  vi.stubGlobal('customElements', { define, get: () => define.mock.lastCall?.[1] });
  vi.resetModules();
  const { List } = await import('./index.ts');
  List.define();
  expect(define.mock.calls).toEqual([['offstage-list', List]]);
});
