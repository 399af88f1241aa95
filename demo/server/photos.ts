import type { PGlite } from '@electric-sql/pglite';
import type { Database } from './database.ts';

/** A row of the list. */
export interface Photo {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly palette: string;
  readonly seed: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Counts the photo's own changes from 1. */
  readonly version: number;
}

/** What may be written. */
export interface PhotoFields {
  readonly title: string;
  readonly description: string;
  readonly palette: string;
  readonly seed: number;
}

export interface Page {
  readonly page: number;
  readonly size: number;
  readonly query: string;
}

export interface PhotoList {
  readonly items: readonly Photo[];
  readonly total: number;
  /** The number of the last change that the list includes. */
  readonly cursor: number;
  /** The database whose changes it counts. */
  readonly origin: string;
}

/** One entry of the change log. */
export interface Change {
  readonly n: number;
  readonly kind: keyof Changed;
  readonly id: number;
  /** As it was then. */
  readonly title: string;
  readonly at: string;
}

/** The ids by what happened to them. */
export interface Changed {
  readonly created: readonly number[];
  readonly updated: readonly number[];
  readonly deleted: readonly number[];
}

type Row = Omit<Photo, 'createdAt' | 'updatedAt'> & { readonly createdAt: Date; readonly updatedAt: Date };

const COLUMNS = `id, title, description, palette, seed, version,
  created_at AS "createdAt", updated_at AS "updatedAt"`;
const MATCHES = `($1 = '' OR title ILIKE $1 OR description ILIKE $1)`;

/** The photos in the database. */
export class Photos {
  readonly #sql: PGlite;
  readonly #origin: string;

  constructor({ sql, name }: Database) {
    this.#sql = sql;
    this.#origin = name;
  }

  /** The newest first; items, total and cursor are of one moment. */
  list({ page, size, query }: Page): Promise<PhotoList> {
    const pattern = query === '' ? '' : `%${query.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
    return this.#sql.transaction(async (sql) => {
      const { rows } = await sql.query<Row>(
        `SELECT ${COLUMNS} FROM photo WHERE ${MATCHES} ORDER BY id DESC LIMIT $2 OFFSET $3`,
        [pattern, size, (page - 1) * size],
      );
      const counted = await sql.query<{ total: number; cursor: number }>(
        `SELECT (SELECT count(*)::integer FROM photo WHERE ${MATCHES}) AS total,
                (SELECT coalesce(max(number), 0) FROM change) AS cursor`,
        [pattern],
      );
      const { total = 0, cursor = 0 } = counted.rows[0] ?? {};
      return { items: rows.map(toPhoto), total, cursor, origin: this.#origin };
    });
  }

  async find(id: number): Promise<Photo | null> {
    return this.#one(`SELECT ${COLUMNS} FROM photo WHERE id = $1`, [id]);
  }

  async create({ title, description, palette, seed }: PhotoFields): Promise<Photo> {
    const created = await this.#one(
      `INSERT INTO photo (title, description, palette, seed) VALUES ($1, $2, $3, $4) RETURNING ${COLUMNS}`,
      [title, description, palette, seed],
    );
    if (!created) throw new Error('The database inserted a photo without returning it.');
    return created;
  }

  /** Null where there is no such photo, or none of that version. */
  async update(id: number, fields: PhotoFields, version: number | null): Promise<Photo | null> {
    const { title, description, palette, seed } = fields;
    return this.#one(
      `UPDATE photo SET title = $2, description = $3, palette = $4, seed = $5
       WHERE id = $1 AND ($6::integer IS NULL OR version = $6) RETURNING ${COLUMNS}`,
      [id, title, description, palette, seed, version],
    );
  }

  async delete(id: number, version: number | null): Promise<boolean> {
    const { affectedRows } = await this.#sql.query(
      'DELETE FROM photo WHERE id = $1 AND ($2::integer IS NULL OR version = $2)',
      [id, version],
    );
    return affectedRows === 1;
  }

  /** The number of the last change of any photo. */
  async cursor(): Promise<number> {
    const { rows } = await this.#sql.query<{ cursor: number }>(
      'SELECT coalesce(max(number), 0) AS cursor FROM change',
    );
    return rows[0]?.cursor ?? 0;
  }

  /** Which photos changed after a cursor; of those older than what is kept, nothing is known. */
  async changedSince(cursor: number): Promise<Changed> {
    const { rows } = await this.#sql.query<{ kind: keyof Changed; photo: number }>(
      'SELECT kind, photo FROM change WHERE number > $1 ORDER BY number',
      [cursor],
    );
    const ids = (kind: keyof Changed): number[] => [
      ...new Set(rows.filter((row) => row.kind === kind).map(({ photo }) => photo)),
    ];
    return { created: ids('created'), updated: ids('updated'), deleted: ids('deleted') };
  }

  /** The last changes, in their order. */
  async latestChanges(limit: number): Promise<readonly Change[]> {
    const latest = await this.#log('TRUE ORDER BY number DESC LIMIT $1', [limit]);
    return latest.toReversed();
  }

  /** The changes next to a cursor; null where some of them are no longer kept, or it is not a cursor of this log. */
  changesAfter(cursor: number, limit: number): Promise<readonly Change[] | null> {
    return this.#sql.transaction(async (sql) => {
      const kept = await sql.query<{ first: number; last: number }>(
        'SELECT coalesce(min(number), 1) AS first, coalesce(max(number), 0) AS last FROM change',
      );
      const { first = 1, last = 0 } = kept.rows[0] ?? {};
      if (cursor < first - 1 || cursor > last) return null;
      return this.#log('number > $1 ORDER BY number LIMIT $2', [cursor, limit], sql);
    });
  }

  async #log(
    condition: string,
    values: readonly number[],
    sql: Pick<PGlite, 'query'> = this.#sql,
  ): Promise<readonly Change[]> {
    const { rows } = await sql.query<Omit<Change, 'at'> & { readonly at: Date }>(
      `SELECT number AS n, kind, photo AS id, title, at FROM change WHERE at IS NOT NULL AND ${condition}`,
      [...values],
    );
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }

  async #one(statement: string, values: readonly unknown[]): Promise<Photo | null> {
    const { rows } = await this.#sql.query<Row>(statement, [...values]);
    return rows[0] ? toPhoto(rows[0]) : null;
  }
}

function toPhoto(row: Row): Photo {
  return { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() };
}
