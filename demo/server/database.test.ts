import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { Photos } from './photos.ts';
import { startServer } from './server.ts';

test('what was stored survives a restart, and only one server at a time has it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
  const start = () => startServer({ port: 0, database: { dataDir } });
  const first = await start();
  const body = new URLSearchParams({ title: 'Still here' });
  const made = await fetch(`${first.url}/api/photos`, { method: 'POST', body });
  await expect(start()).rejects.toThrow(`in use by the demo at ${first.url}`);
  await first.close();

  const second = await start();
  const found = await fetch(second.url + (made.headers.get('Location') ?? ''));
  expect(await found.json()).toMatchObject({ title: 'Still here' });
  await second.close();
  await rm(dataDir, { recursive: true });
}, 60_000);

test('the log forgets its beginning as it grows, and says so', async () => {
  const database = await openDatabase(null);
  const photos = new Photos(database);
  const begun = await photos.cursor();
  expect(await photos.changesAfter(begun, 10)).toEqual([]);
  await database.sql.exec(`
    INSERT INTO photo (title, description, palette, seed)
    SELECT 'Photo ' || n, '', 'dawn', n FROM generate_series(1, 1001) n`);
  expect(await photos.changesAfter(begun, 10)).toBeNull();
  const oldest = await photos.changesAfter(begun + 1, 2);
  expect(oldest).toMatchObject([
    { n: begun + 2, title: 'Photo 2' },
    { n: begun + 3, title: 'Photo 3' },
  ]);
  expect(await photos.latestChanges(1)).toMatchObject([{ n: begun + 1001, kind: 'created' }]);
  await database.sql.close();
}, 60_000);
