import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { followPage } from './connection.ts';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a page that is resumed says where it is in a task of its own, after what waits for it', () => {
  const page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal('document', page);
  vi.stubGlobal('addEventListener', () => {});
  const steps: string[] = [];
  const show = (): void => void steps.push('shown');
  followPage({ online: () => {}, leave: () => {}, show, setHidden: () => {} });
  setTimeout(() => steps.push('heard'));
  page.dispatchEvent(new Event('resume'));
  expect(steps).toEqual([]);
  vi.runAllTimers();
  expect(steps).toEqual(['heard', 'shown']);
});
