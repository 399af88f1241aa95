import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** The documents speak of what is there. `npm run prose` looks after their words, scripts/package-lint.mjs after the README's links from outside. */

const ROOT = new URL('../', import.meta.url);
const LONGEST_DECISION = 25;

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

const sources = readdirSync(new URL('src', ROOT), { recursive: true, encoding: 'utf8' });
const decisions = readdirSync(new URL('docs/decisions', ROOT));

/** Names of files in inline code: `back-off.ts`, `feeds/feed.ts`, `src/worker/compose.ts`. */
function filesNamedIn(text: string): string[] {
  const names = text.matchAll(/`((?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs))`/g);
  return [...new Set([...names].map(([, name = '']) => name))];
}

function isThere(name: string): boolean {
  if (existsSync(new URL(name, ROOT)) || existsSync(new URL(`src/${name}`, ROOT))) return true;
  return sources.some((path) => path === name || path.endsWith(`/${name}`));
}

test.each(['docs/architecture.md', 'docs/glossary.md', 'CONTRIBUTING.md'])(
  '%s names no file that is not there',
  (path) => {
    const named = filesNamedIn(read(path));
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  },
);

const documents = readdirSync(new URL('docs', ROOT), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => `docs/${path}`);

/** Where the links of a document lead within the repository, without their fragments. */
function linksIn(text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  );
  return targets
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => target.replace(/#.*/, ''));
}

test.each(['README.md', 'CONTRIBUTING.md', ...documents])('%s links to nothing that is not there', (path) => {
  const base = new URL(path, ROOT);
  expect(linksIn(read(path)).filter((target) => !existsSync(new URL(target, base)))).toEqual([]);
});

test('links are looked for in all documents', () => {
  const links = documents.flatMap((path) => linksIn(read(path)));
  expect(links.length).toBeGreaterThan(100);
});

describe('a decision', () => {
  test.each(decisions)(`%s has at most ${LONGEST_DECISION} lines`, (name) => {
    expect(read(`docs/decisions/${name}`).trimEnd().split('\n').length).toBeLessThanOrEqual(LONGEST_DECISION);
  });

  test('has a number of its own', () => {
    const numbers = decisions.map((name) => name.slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});
