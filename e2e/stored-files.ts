import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { attempt } from './engines/patience.ts';
import { Program } from './engines/program.ts';
import { FLAGS } from './faults/bare-chromium.ts';

const START_LIMIT = 30_000;

/** Has a page used in a browser with a profile of its own, kills the browser, and returns all that IndexedDB left there. */
export async function filesLeftBy(
  executable: string,
  url: string,
  use: (page: Page) => Promise<void>,
): Promise<Buffer> {
  const profile = await mkdtemp(join(tmpdir(), 'offstage-stored-'));
  const flags = [...FLAGS, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'];
  const program = new Program(executable, flags);
  try {
    const address = await attempt(START_LIMIT, 'The start of Chromium', () => addressIn(profile));
    const browser = await chromium.connectOverCDP(address);
    const page = await attempt(
      START_LIMIT,
      'A tab',
      async () => (await browser.contexts()[0]?.newPage()) ?? null,
    );
    await page.goto(url);
    await use(page);
    await program.kill();
    await browser.close();
    return await filesOf(profile);
  } finally {
    await program.kill();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function addressIn(profile: string): Promise<string | null> {
  const text = await readFile(join(profile, 'DevToolsActivePort'), 'utf8').catch(() => '');
  const [port, path] = text.split('\n');
  return path ? `ws://127.0.0.1:${port}${path}` : null;
}

/** All files of IndexedDB, one after the other. */
async function filesOf(profile: string): Promise<Buffer> {
  const entries = await readdir(profile, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.parentPath.includes('IndexedDB'))
    .map((entry) => join(entry.parentPath, entry.name));
  return Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
}

/** True if the text is anywhere in the files, in any spelling: keys are UTF-16 with the high byte first. */
export function isIn(files: Buffer, text: string): boolean {
  const [latin1, utf8, utf16] = (['latin1', 'utf8', 'utf16le'] as const).map((each) =>
    Buffer.from(text, each),
  );
  return [latin1, utf8, utf16, Buffer.from(text, 'utf16le').swap16()].some(
    (spelling) => spelling !== undefined && files.includes(spelling),
  );
}
