import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { Photos } from './photos.ts';
import { startServer } from './server.ts';
import { Visitor } from './visitor.fixture.ts';

test('what was stored survives a restart, and only one server at a time has it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
  const start = () => startServer({ port: 0, database: { dataDir } });
  const first = await start();
  const mira = await Visitor.signedIn(first.url, 'mira');
  const made = await mira.write('POST', '/api/photos', { title: 'Still here' });
  await expect(start()).rejects.toThrow(`in use by the demo at ${first.url}`);
  await first.close();

  const second = await start();
  // The session survives, too.
  const headers = { Cookie: mira.cookie };
  const found = await fetch(second.url + (made.headers.get('Location') ?? ''), { headers });
  expect(await found.json()).toMatchObject({ title: 'Still here' });
  await second.close();
  await rm(dataDir, { recursive: true });
});

test('the photos of a demo that knew no users are the first one’s, and nobody’s are put beside them', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'demo-'));
  const older = await PGlite.create(dataDir);
  await older.exec(`
    CREATE TABLE photo (
      id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title text NOT NULL, description text NOT NULL,
      palette text NOT NULL, seed integer NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(), version integer NOT NULL DEFAULT 1);
    CREATE TABLE change (number integer PRIMARY KEY, kind text NOT NULL, photo integer NOT NULL);
    CREATE TABLE origin (name text NOT NULL);
    INSERT INTO photo (title, description, palette, seed) VALUES ('From before', '', 'dawn', 1);
    INSERT INTO change VALUES (1, 'created', 1);
    INSERT INTO origin VALUES ('0123abcd')`);
  await older.close();

  const sql = await openDatabase(dataDir);
  const list = async (owner: string) => (await Photos.of(owner, sql)).list({ page: 1, size: 48, query: '' });
  expect((await list('mira')).items.map(({ title }) => title)).toEqual(['From before']);
  expect((await list('jonas')).total).toBeGreaterThan(10);
  await sql.close();
  await rm(dataDir, { recursive: true });
});

test('a log forgets its beginning as it grows, and says so; the other user’s is let be', async () => {
  const sql = await openDatabase(null);
  const [photos, others] = [await Photos.of('mira', sql), await Photos.of('jonas', sql)];
  const begun = await photos.cursor();
  expect(await photos.changesAfter(begun, 10)).toEqual([]);
  await sql.exec(`
    INSERT INTO photo (owner, title, description, palette, seed)
    SELECT 'mira', 'Photo ' || n, '', 'dawn', n FROM generate_series(1, 1001) n`);
  expect(await photos.changesAfter(begun, 10)).toBeNull();
  const oldest = await photos.changesAfter(begun + 1, 2);
  expect(oldest).toMatchObject([
    { n: begun + 2, title: 'Photo 2' },
    { n: begun + 3, title: 'Photo 3' },
  ]);
  expect(await photos.latestChanges(1)).toMatchObject([{ n: begun + 1001, kind: 'created' }]);
  expect(await others.changesAfter(0, 1)).toMatchObject([{ n: 1 }]);
  await sql.close();
});
