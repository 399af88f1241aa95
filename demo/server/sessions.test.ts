import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import { Sessions } from './sessions.ts';

let sql: PGlite;
let sessions: Sessions;

beforeAll(async () => {
  sql = await openDatabase(null);
  sessions = new Sessions(sql);
});

afterAll(() => sql.close());

test('the database knows a session by a digest alone', async () => {
  const token = await sessions.begin('mira');
  expect(await sessions.userOf(token)).toBe('mira');
  const { rows } = await sql.query('SELECT * FROM session');
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(token);
});

test('a session ends by itself, and the oldest gives way where there are too many', async () => {
  const [stale, first] = [await sessions.begin('mira'), await sessions.begin('jonas')];
  await sql.query(`UPDATE session SET ends_at = now() - interval '1 second' WHERE account = 'mira'`);
  expect([await sessions.userOf(stale), await sessions.userOf(first)]).toEqual([null, 'jonas']);
  await sql.exec(`INSERT INTO session SELECT n::text, 'mira', now() + interval '40 days'
    FROM generate_series(1, 1000) n`);
  await sessions.begin('mira');
  expect(await sessions.userOf(first)).toBeNull();
  const kept = await sql.query<{ count: number }>('SELECT count(*)::integer AS count FROM session');
  expect(kept.rows).toEqual([{ count: 1_000 }]);
});
