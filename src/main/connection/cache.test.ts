import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StoredEntry } from '../../shared/inspection.ts';
import { FakePage } from '../page.fixture.ts';

let page: FakePage;

beforeEach(() => {
  page = new FakePage();
});

afterEach(() => {
  page.leave();
});

function entry(name: string): StoredEntry {
  return { url: `https://page.example/${name}`, status: 200, storedAt: 1, size: 2, freshUntil: null };
}

test('all that is stored is listed, a page of it at a time', async () => {
  const { life } = page.host;
  life.replyTo = (command) => {
    if (command.kind !== 'list-stored') return { kind: 'done' };
    return command.after === null
      ? { kind: 'stored-page', page: { entries: [entry('a'), entry('b')], next: 'b' } }
      : { kind: 'stored-page', page: { entries: [entry('c')], next: null } };
  };
  const urls: string[] = [];
  for await (const { url } of page.connection.cache.list()) urls.push(url);
  expect(urls).toEqual(['a', 'b', 'c'].map((name) => `https://page.example/${name}`));
  expect(life.told('list-stored').map(({ after }) => after)).toEqual([null, 'b']);
});

test('a stored answer is read as a response, by a URL of the document', async () => {
  const { life } = page.host;
  const body = new TextEncoder().encode('{"id":1}').buffer;
  life.replyTo = () => ({
    kind: 'stored-answer',
    answer: { status: 200, headers: [['Content-Type', 'application/json']], body },
  });
  const response = await page.connection.cache.read('/photo/1');
  expect(await response?.json()).toEqual({ id: 1 });
  expect(response?.headers.get('content-type')).toBe('application/json');
  expect(life.told('read-stored')).toEqual([{ kind: 'read-stored', url: 'https://page.example/photo/1' }]);
  life.replyTo = () => ({ kind: 'stored-answer', answer: null });
  expect(await page.connection.cache.read('/photo/2')).toBeNull();
});

test('stored answers are removed by a URL of the document', async () => {
  await page.connection.cache.remove('photo/1');
  expect(page.host.life.told('remove-stored')).toEqual([
    { kind: 'remove-stored', url: 'https://page.example/photo/1' },
  ]);
});
