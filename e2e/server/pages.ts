import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

/** What the fixture server serves as files: the test page, the library as built, the ready-made worker. */
const BUILT: Readonly<Record<string, string>> = {
  '/': 'e2e/page/index.html',
  '/offstage.js': '.cache/e2e/offstage.js',
  '/service-worker.js': 'dist/service-worker.js',
  '/offstage.global.js': 'dist/offstage.global.js',
};

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

/** A sandboxed frame is of another origin than its own scripts. */
const FOR_ANYBODY = { 'Access-Control-Allow-Origin': '*' };

export interface Page {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A file of the test page, or of one that is built in a folder of its own; null where the path is none. */
export async function readPage(path: string): Promise<Page | null> {
  const type = TYPES[extname(path === '/' ? '/index.html' : path)];
  if (type === undefined || path.includes('..')) return null;
  const candidates = [BUILT[path] ?? `e2e/page${path}`, `.cache/e2e${path}`, `.cache${path}`];
  for (const candidate of candidates) {
    const body = await readFile(new URL(`../../${candidate}`, import.meta.url)).catch(() => null);
    if (body) return { body, headers: { 'Content-Type': type, 'Cache-Control': 'no-store', ...FOR_ANYBODY } };
  }
  return null;
}
