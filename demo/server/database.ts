import { mkdir } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { USERS } from '../users.ts';
import { SCHEMA } from './schema.ts';
import { SEEDS } from './seeds.ts';

/** Opens the database in that folder, or one that lives in memory, with an account for each user. */
export async function openDatabase(dataDir: string | null): Promise<PGlite> {
  if (dataDir !== null) await mkdir(dataDir, { recursive: true });
  const sql = await PGlite.create(dataDir ?? 'memory://');
  await sql.exec(SCHEMA);
  for (const { name } of USERS) await seed(sql, name);
  return sql;
}

/** Once for each account, and in one transaction with its mark, so that a start cut short is repeated from nothing. */
async function seed(sql: PGlite, owner: string): Promise<void> {
  await sql.query('INSERT INTO account (name) VALUES ($1) ON CONFLICT DO NOTHING', [owner]);
  await sql.transaction(async (transaction) => {
    const marked = await transaction.query(
      'UPDATE account SET seeded = true WHERE name = $1 AND NOT seeded',
      [owner],
    );
    const kept = await transaction.query('SELECT FROM photo WHERE owner = $1 LIMIT 1', [owner]);
    if (marked.affectedRows === 0 || kept.rows.length > 0) return;
    for (const { title, description, palette, seed: number } of SEEDS.get(owner)?.toReversed() ?? []) {
      await transaction.query(
        'INSERT INTO photo (owner, title, description, palette, seed) VALUES ($1, $2, $3, $4, $5)',
        [owner, title, description, palette, number],
      );
    }
  });
}
