import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { SCHEMA } from './schema.ts';
import { SEEDS } from './seeds.ts';

export interface Database {
  readonly sql: PGlite;
  /** Random and new for every new database, so that no ETag of an older one ever fits. */
  readonly name: string;
}

/** Opens the database in that folder, or one that lives in memory; seeds it when it is new. */
export async function openDatabase(dataDir: string | null): Promise<Database> {
  if (dataDir !== null) await mkdir(dataDir, { recursive: true });
  const sql = await PGlite.create(dataDir ?? 'memory://');
  await sql.exec(SCHEMA);
  return { sql, name: (await nameOf(sql)) ?? (await seed(sql)) };
}

async function nameOf(sql: PGlite): Promise<string | undefined> {
  const { rows } = await sql.query<{ name: string }>('SELECT name FROM origin');
  return rows[0]?.name;
}

/** In one transaction with the name, so that a start cut short is repeated from nothing. */
async function seed(sql: PGlite): Promise<string> {
  const name = randomBytes(4).toString('hex');
  await sql.transaction(async (transaction) => {
    for (const { title, description, palette, seed: number } of SEEDS.toReversed()) {
      await transaction.query(
        'INSERT INTO photo (title, description, palette, seed) VALUES ($1, $2, $3, $4)',
        [title, description, palette, number],
      );
    }
    await transaction.query('INSERT INTO origin (name) VALUES ($1)', [name]);
  });
  return name;
}
