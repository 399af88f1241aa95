import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Keeps a second server off a database that a running one has open, for two would spoil it. The claim is the first
 * one's address, and it holds as long as somebody answers there: a process number would outlive a crash.
 */
export async function claim(folder: string, url: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'server.txt');
  const owner = await readFile(file, 'utf8').catch(() => null);
  if (owner !== null && owner !== url && (await answers(owner))) {
    throw new Error(`The database in ${folder} is in use by the demo at ${owner}: stop that one first.`);
  }
  await writeFile(file, url);
  return () => rm(file, { force: true });
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/api/trouble`, { signal: AbortSignal.timeout(1_000) });
    return response.ok;
  } catch {
    return false;
  }
}
