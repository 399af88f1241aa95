import { posix } from 'node:path';

/** A source file as the checks of the floors see it. */
export interface Source {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly specifier: string;
  readonly kind: 'value' | 'type' | 'dynamic';
}

/** Packages that the product may import, by floor. A framework's adapter gets a line of its own. */
const PACKAGES: Record<Floor, readonly string[]> = {
  shared: [],
  worker: ['comlink', 'http-cache-semantics', 'idb', 'url-template'],
  main: ['comlink', 'workbox-window', 'workbox-window/build/workbox-window.prod.mjs'],
};

/** Entries of their own, which only the others named may import: those who do not ask for them never load them. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  'src/main/list/': ['src/main/fw/', 'src/main/website/'],
  'src/main/fw/': ['src/main/website/'],
  'src/main/website/': [],
};

const LIST = 'src/main/list/';
const LIST_PACKAGES = ['lit-html', 'lit-html/directive.js', 'lit-html/directives/repeat.js'];

/** The only files of the page that may load the worker's engine, and only when it is needed. */
const LOADERS = ['src/main/hosts/engine-module.ts', 'src/main/website/engine-module.ts'];
/** The engine for the first requests of a first visit, and the only file of the page that may import it: it runs there at once. */
const EARLY = 'src/worker/early.ts';
const EARLY_USER = 'src/main/connection/default.ts';
/** The only files that build the worker's modules. */
const COMPOSERS = ['src/worker/compose.ts', 'src/worker/compose-partition.ts', EARLY];

/** Every module of the worker may import these; `platform` imports no module, `contracts` imports `platform`. */
const COMMON = ['platform', 'contracts'];

/** The other modules that a module of the worker may import: loops stand on feeds, feeds on states, states on scheduling. */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  contracts: ['platform'],
  outbox: ['scheduling'],
  states: ['scheduling'],
  feeds: ['states', 'scheduling'],
  loops: ['feeds', 'states', 'scheduling'],
};

/** An invocation passes through these: the engine may name their types. */
const OF_THE_ENGINE = ['address', 'cache', 'exchange', 'functions', 'diff'];

const FLOORS = ['shared', 'worker', 'main'] as const;
type Floor = (typeof FLOORS)[number];

/** The imports and re-exports of a file. Text in comments and strings counts too where it begins a line. */
export function importsOf(text: string): Import[] {
  const statements = text.matchAll(
    /^[ \t]*(import|export)\s+(type\b(?!\s*,|\s+from))?(?:[^'";]*?\bfrom\s*)?['"]([^'"]+)['"]/gm,
  );
  const calls = text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g);
  return [
    ...Array.from(statements, ([, , type, specifier = '']): Import => ({
      specifier,
      kind: type === undefined ? 'value' : 'type',
    })),
    ...Array.from(calls, ([, specifier = '']): Import => ({ specifier, kind: 'dynamic' })),
  ];
}

/** What a file imports and may not, each with the reason. */
export function forbiddenImports(source: Source): string[] {
  if (!isProduct(source.path)) return [];
  return importsOf(source.text).flatMap((each) => {
    const reason = isRelative(each.specifier)
      ? refusePath(source.path, each)
      : refusePackage(source.path, each.specifier);
    return reason === null ? [] : [`${source.path} imports ${each.specifier}: ${reason}`];
  });
}

function refusePackage(path: string, specifier: string): string | null {
  const floor = floorOf(path);
  if (floor === null) return null;
  const [place, packages] = path.startsWith(LIST)
    ? ['src/main/list', LIST_PACKAGES]
    : [`src/${floor}`, PACKAGES[floor]];
  return packages.includes(specifier) ? null : `${place} may import ${packages.join(', ') || 'no package'}`;
}

function refusePath(from: string, { specifier, kind }: Import): string | null {
  const to = resolve(from, specifier);
  const [own, other] = [floorOf(from), floorOf(to)];
  const loadsEngine = LOADERS.includes(from) && other === 'worker' && kind === 'dynamic';
  const takesEarly = from === EARLY_USER && to === EARLY;
  if (other !== own && other !== 'shared' && !loadsEngine && !takesEarly)
    return `src/${own} stands on src/shared alone`;
  const entry = entryOf(to);
  const importers = [entry, ...(ENTRIES[entry ?? ''] ?? [])];
  if (kind !== 'type' && entry !== null && !importers.includes(entryOf(from))) {
    return `${entry.slice(0, -1)} is an entry of its own`;
  }
  return refuseModule(from, to, kind);
}

function refuseModule(from: string, to: string, kind: Import['kind']): string | null {
  const [own, other] = [moduleOf(from), moduleOf(to)];
  if (other === null || own === other || floorOf(from) !== 'worker' || COMPOSERS.includes(from)) return null;
  if (own === null)
    return COMMON.includes(other) || kind === 'type' ? null : 'only the compose files import modules';
  if (own === 'engine' && kind === 'type' && OF_THE_ENGINE.includes(other)) return null;
  const allowed = [...(COMMON.includes(own) ? [] : COMMON), ...(BELOW[own] ?? [])];
  return allowed.includes(other)
    ? null
    : `'${own}' may import no module but ${allowed.join(', ') || 'itself'}`;
}

/** The circles in which files import each other, types included; each is told once, from its first file. */
export function importCycles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.path, neighbours(source)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const seenAt = trail.indexOf(path);
    if (seenAt >= 0) cycles.push([...trail.slice(seenAt), path].join(' -> '));
    if (seenAt >= 0 || done.has(path)) return;
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

function neighbours({ path, text }: Source): string[] {
  return importsOf(text)
    .filter(({ specifier }) => isRelative(specifier))
    .map(({ specifier }) => resolve(path, specifier));
}

/** Words that silence a tool. They are put together here, so that this file does not hold them. */
const SILENCERS = [
  ...['oxlint', 'eslint'].map((name) => `${name}-disable`),
  ...['ignore', 'nocheck'].map((name) => `@ts-${name}`),
  ...['prettier'].map((name) => `${name}-ignore`),
];

/** Only a test may expect a type error: that is how it shows that a call does not compile. */
const SILENCERS_OF_TESTS = ['expect-error'].map((name) => `@ts-${name}`);

export function silencers({ path, text }: Source): string[] {
  const words = isTest(path) ? SILENCERS : [...SILENCERS, ...SILENCERS_OF_TESTS];
  return words.filter((word) => text.includes(word)).map((word) => `${path} holds ${word}`);
}

/** Tests that are left out, or that leave the others out. */
export function skippedTests({ path, text }: Source): string[] {
  if (!isTest(path)) return [];
  const calls = text.matchAll(
    /\b(?:test|it|describe|suite)\b[\w.]*\.(only|skip|skipIf|runIf|todo|fixme|fails?)\b/g,
  );
  return Array.from(calls, ([call]) => `${path} calls ${call}`);
}

const NAMELESS = ['utils', 'util', 'helpers', 'helper', 'common', 'manager', 'types', 'misc'];

/** Files and folders whose name does not say what they hold. */
export function emptyNames(path: string): string[] {
  return path
    .split('/')
    .map((part) => part.split('.', 1)[0] ?? '')
    .filter((stem) => NAMELESS.includes(stem))
    .map((stem) => `${path}: "${stem}" does not say what it holds`);
}

/** Rules that a linter's configuration switches off or weakens, and categories that are no longer errors. */
export function weakenedRules(configuration: string): string[] {
  const { categories, rules, overrides = [] }: LintConfiguration = JSON.parse(configuration);
  const weak = [{ rules }, ...overrides]
    .flatMap((each) => Object.entries(each.rules ?? {}))
    .filter(([, setting]) => !/^\[?"(error|deny)"/.test(JSON.stringify(setting)));
  const missing = ['correctness', 'suspicious'].filter((name) => categories?.[name] !== 'error');
  return [...weak.map(([rule]) => rule), ...missing];
}

interface LintConfiguration {
  readonly categories?: Record<string, unknown>;
  readonly rules?: Record<string, unknown>;
  readonly overrides?: readonly { readonly rules?: Record<string, unknown> }[];
}

function isTest(path: string): boolean {
  return /\.(test|spec)\.(ts|mjs)$/.test(path);
}

/** What ships, as against what tests it. */
export function isProduct(path: string): boolean {
  return floorOf(path) !== null && !/\.(test|fixture)\.ts$/.test(path);
}

function floorOf(path: string): Floor | null {
  return FLOORS.find((floor) => path.startsWith(`src/${floor}/`)) ?? null;
}

function entryOf(path: string): string | null {
  return Object.keys(ENTRIES).find((entry) => path.startsWith(entry)) ?? null;
}

function moduleOf(path: string): string | null {
  return /^src\/worker\/([^/]+)\//.exec(path)?.[1] ?? null;
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.');
}

function resolve(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier);
}
