import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where in its profile Chromium has the databases of all origins, but for those in buckets of their own. */
const DATABASES = join('Default', 'IndexedDB');

/**
 * Tears the files of a Chromium that does not run, as the end of it in the midst of a write does once the next run has appended to
 * them. It deletes all databases of an origin when it finds that. Returns how many files there were.
 */
export async function tearDatabases(profile: string): Promise<number> {
  const files = await readdir(join(profile, DATABASES), { recursive: true });
  const logs = files.filter((each) => each.endsWith('.log')).map((each) => join(profile, DATABASES, each));
  const torn = await Promise.all(logs.map(tear));
  return torn.filter(Boolean).length;
}

/** False for one that is empty. */
async function tear(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  const middle = Math.floor(bytes.length / 2);
  if (bytes.length === 0) return false;
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 0xff, middle);
  await writeFile(path, bytes);
  return true;
}
