// Checks the spelling and the style of the documents with Harper, which runs here and sends nothing anywhere
// (docs/decisions/0034). A text that was clean is not read again until it, the words or the rules change.
//
// `node scripts/prose.mjs` reads all documents; `node scripts/prose.mjs README.md` only those named.

import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, Stop, runAsProgram } from './run.mjs';

/** Our own words, one a line: names of things and people, and the words of our field that no dictionary has. */
const WORDS = join(ROOT, 'scripts', 'prose-words.txt');
const CLEAN = join(ROOT, '.cache', 'prose.json');

/** Rules of Harper that are wrong for these texts, each with its reason. */
const OFF = {
  SentenceCapitalization: 'a cell of a table and an item of a list may begin with a small letter',
  UseTitleCase: 'headings are sentences',
  OxfordComma: 'British English leaves it to the writer',
  ExpandTimeShorthands: 'units are written as SI has them: ms, s, min, h',
  ExpandMemoryShorthands: 'units are written as SI has them: kB, MB, KiB, MiB',
  ExpandMinimum: '`min` is a minute here, never a minimum',
  ExpandControl: '`Ctrl` is the name of a key',
  OrthographicConsistency: 'the unit is kB; names are as their packages write them: vite, comlink',
  DiscourseMarkers: 'a comma after "otherwise" is left to the writer',
  DisjointPrefixes: 'takes "under way" for a prefix',
  MassNouns: 'a greeting and a storage can be counted here',
  MissingTo: 'takes nouns for verbs: "two tries", "a test that cannot fail"',
  ThatThan: 'takes nouns for comparatives: "a header that", "a holder that"',
  ThereIsAgreement: '"there is news" and "the data is there" are right',
};

/**
 * @typedef {object} Fault
 * @property {string} file
 * @property {number} line
 * @property {string} text The words that the message is about.
 * @property {string} message
 */

/**
 * @param {readonly string[]} files Paths in the repository.
 * @returns {Promise<Fault[]>}
 */
export async function faultsOfProse(files) {
  const words = await readFile(WORDS, 'utf8');
  const texts = await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(join(ROOT, file), 'utf8') })),
  );
  const known = new Set(await knownAsClean());
  const rules = [words, JSON.stringify(OFF), await readFile(import.meta.filename, 'utf8')].join('\n');
  const keyed = texts.map(({ file, text }) => ({ file, text, key: digest(rules + text) }));
  const unread = keyed.filter(({ key }) => !known.has(key));
  const read = unread.length === 0 ? [] : await lint(unread, words.split('\n').filter(Boolean));
  const faulty = new Set(read.map(({ file }) => file));
  await noteAsClean(keyed.filter(({ file }) => !faulty.has(file)).map(({ key }) => key));
  return read;
}

/**
 * @param {readonly { file: string, text: string }[]} texts
 * @param {string[]} words
 * @returns {Promise<Fault[]>}
 */
async function lint(texts, words) {
  const { Dialect, LocalLinter } = await import('harper.js');
  const { slimBinaryInlined } = await import('harper.js/slimBinaryInlined');
  const linter = new LocalLinter({ binary: slimBinaryInlined, dialect: Dialect.British });
  await linter.setLintConfig({ ...(await linter.getDefaultLintConfig()), ...mapValues(OFF, () => false) });
  await linter.importWords(words);
  /** @type {Fault[]} */
  const faults = [];
  for (const { file, text } of texts) {
    for (const [rule, lints] of Object.entries(await linter.organizedLints(proseOf(text)))) {
      for (const found of lints) faults.push(faultOf(file, text, rule, found));
    }
  }
  return faults.toSorted((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}

/**
 * @param {string} file
 * @param {string} text
 * @param {string} rule
 * @param {import('harper.js').Lint} found
 * @returns {Fault}
 */
function faultOf(file, text, rule, found) {
  const { start, end } = found.span();
  const line = text.slice(0, start).split('\n').length;
  return { file, line, text: text.slice(start, end), message: `${found.message()} (${rule})` };
}

/**
 * The text with all that is no prose made blank, at the same length so that places stay what they are. A number with its
 * unit and the name of a file become mere numbers: Harper would read "3 s in" as a misspelt "sin".
 *
 * @param {string} text
 */
export function proseOf(text) {
  return text
    .replace(/^( *)```[\s\S]*?^\1```$/gm, blank)
    .replace(/^\[[^\]]+\]: \S+$/gm, blank)
    .replace(/(?<=\]\()[^)]+(?=\))/g, zeros)
    .replace(/[\w./-]*\w\.(md|m?js|ts|html|vcl|conf)\b/g, zeros)
    .replace(/\b\d+\s*(ms|s|µs|min|h|x|kB|KB|MB|GB|KiB|MiB|px)\b/g, zeros)
    .replace(/\((s|ms|kB|MB)\)/g, blank)
    .replaceAll('µs', 'ms');
}

/** @param {string} part */
function blank(part) {
  return part.replace(/[^\n]/g, ' ');
}

/** @param {string} part */
function zeros(part) {
  return part.replace(/\S/g, '0');
}

/** @returns {Promise<string[]>} Digests of the texts that the last runs found clean, with their words and rules. */
async function knownAsClean() {
  return JSON.parse(await readFile(CLEAN, 'utf8').catch(() => '[]'));
}

/** @param {readonly string[]} keys */
async function noteAsClean(keys) {
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  await writeFile(CLEAN, JSON.stringify(keys));
}

/** @param {string} text */
function digest(text) {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * @template From, To
 * @param {Record<string, From>} record
 * @param {(value: From) => To} change
 */
function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

/** @returns {Promise<string[]>} */
async function allDocuments() {
  const inDocs = await readdir(join(ROOT, 'docs'), { recursive: true });
  const texts = inDocs.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`);
  return ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...texts.toSorted()];
}

/** Reads the documents; throws a `Stop` that names every fault with its file and line. Returns what was read, in words. */
export async function checkProse(named = []) {
  const files = named.length > 0 ? named : await allDocuments();
  const faults = await faultsOfProse(files);
  if (faults.length === 0) return `${files.length} documents`;
  const told = faults.map(({ file, line, text, message }) => `${file}:${line} "${text}": ${message}`);
  throw new Stop(
    `${told.join('\n')}\n${faults.length} faults of spelling or style; words of our own go into scripts/prose-words.txt.`,
  );
}

await runAsProgram(import.meta.url, async () => {
  console.log(`${await checkProse(process.argv.slice(2))} without fault`);
});
