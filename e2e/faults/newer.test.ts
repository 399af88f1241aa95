import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { NEWER } from './vite.ts';

const SOURCES = new URL('../../src/', import.meta.url);

/** All that sources import, and the files that these name. */
async function imports(): Promise<readonly { readonly specifier: string; readonly file: URL }[]> {
  const paths = (await readdir(SOURCES, { recursive: true })).filter((path) => path.endsWith('.ts'));
  const found = paths.map(async (path) => {
    const text = await readFile(new URL(path, SOURCES), 'utf8');
    return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, specifier = '']) => ({
      specifier,
      file: new URL(specifier, new URL(path, SOURCES)),
    }));
  });
  return (await Promise.all(found)).flat();
}

const all = await imports();

test.each(NEWER)('the release to come replaces one file of the sources: $find', ({ find, replacement }) => {
  const replaced = new Set(
    all.filter(({ specifier }) => find.test(specifier)).map(({ file }) => file.pathname),
  );
  expect([...replaced].map((path) => path.split('/').at(-1))).toEqual([replacement.split('/').at(-1)]);
  expect(existsSync(replacement)).toBe(true);
});
