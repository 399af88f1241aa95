import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Every name that an app can import, and every public member of it, is explained in the guides or in the glossary. */

const ROOT = new URL('../', import.meta.url);
const ENTRIES = [
  'src/main/index.ts',
  'src/main/list/index.ts',
  'src/main/fw/index.ts',
  'src/worker/index.ts',
];

/** Members that are public for the compiler alone. */
const OURS = {
  pulseOf: 'what a store asks its resource; the two are built apart',
  linkOf: 'what a resource sends through',
  wiresOf: 'what a connection and its resources tell an outbox',
  recordOf: 'what a store asks its query; the two are built apart',
  isBehind: 'the same',
  keepUp: 'the same',
  observedAttributes: 'the platform reads it',
  attributeChangedCallback: 'the platform calls it',
  connectedCallback: 'the platform calls it',
  disconnectedCallback: 'the platform calls it',
};

interface Exported {
  readonly name: string;
  /** The file that declares it. */
  readonly path: string;
}

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

/** The names that a module exports: `export { a, b as c } from`, `export class A`, `export type A`. */
function exportsOf(path: string): Exported[] {
  const text = read(path);
  const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?/gm)];
  const listed = lists.flatMap(([, names = '', from]) =>
    namesOf(names).map((name) => ({ name, path: from === undefined ? path : beside(path, from) })),
  );
  const declared = text.matchAll(
    /^export (?:declare )?(?:class|function|const|interface|type|namespace) (\w+)/gm,
  );
  return [...listed, ...[...declared].map(([, name = '']) => ({ name, path }))];
}

function namesOf(list: string): string[] {
  const names = list.split(',').map((name) => name.replace(/^.* as /s, '').trim());
  return names.filter((name) => name !== '');
}

function beside(path: string, specifier: string): string {
  return new URL(specifier, `file:///${path}`).pathname.slice(1);
}

/** Public members of a class or an interface, with those of what it extends: they stand at the first indentation. */
function membersOf({ name, path }: Exported): string[] {
  const text = read(path);
  const head = new RegExp(`^(?:export )?(?:abstract )?(?:class|interface) ${name}\\b([^{]*)\\{$`, 'm');
  const found = head.exec(text);
  if (!found) return [];
  const body = text.slice(found.index + found[0].length).split(/^\}/m, 1)[0] ?? '';
  const bases = [...(found[1] ?? '').matchAll(/extends (\w+)/g)].flatMap(([, base = '']) =>
    membersOf({ name: base, path: declaringFile(base, path, text) }),
  );
  return [...bases, ...namesIn(body)];
}

function declaringFile(name: string, path: string, text: string): string {
  const imported = new RegExp(`^import (?:type )?\\{[^}]*\\b${name}\\b[^}]*\\} from '([.][^']+)'`, 'm').exec(
    text,
  );
  return imported?.[1] === undefined ? path : beside(path, imported[1]);
}

function namesIn(body: string): string[] {
  const member = /^ {2}(?:(?:static|readonly|override|async|get|set|declare) )*(\w+)[?!]?(?:[(<:;]| =)/gm;
  return [...body.matchAll(member)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'constructor' && name !== 'new');
}

/** Code of a document: what stands between backticks, and blocks. */
function codeOf(text: string): string {
  const blocks = [...text.matchAll(/^```[\s\S]*?^```$/gm)].map(([block]) => block);
  const inline = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/`[^`\n]+`/g)].map(([code]) => code);
  return [...blocks, ...inline].join('\n');
}

const guides = readdirSync(new URL('docs/guide', ROOT)).map((name) => read(`docs/guide/${name}`));
const explained = new Set([...guides, read('docs/glossary.md')].map(codeOf).join('\n').match(/\w+/g));

test.each(ENTRIES)('%s exports nothing that no guide explains', (path) => {
  const exported = exportsOf(path);
  expect(exported).not.toEqual([]);
  const members = exported.flatMap((each) => membersOf(each).map((member) => ({ name: each.name, member })));
  const missing = [
    ...exported.filter(({ name }) => !explained.has(name)).map(({ name }) => name),
    ...members
      .filter(({ member }) => !explained.has(member) && !(member in OURS))
      .map(({ name, member }) => `${name}.${member}`),
  ];
  expect([...new Set(missing)]).toEqual([]);
});
