import type { PGlite } from '@electric-sql/pglite';

/** A row of the list. */
export interface Photo {
  readonly id: number;
  /** The name of the user whose it is. */
  readonly owner: string;
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
  /** The log whose changes it counts. */
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

/** What statements go to: the database, or a transaction that is open. */
export interface Sql {
  query: PGlite['query'];
  transaction<Result>(work: (sql: Pick<PGlite, 'query'>) => Promise<Result>): Promise<Result>;
}

type Row = Omit<Photo, 'createdAt' | 'updatedAt'> & { readonly createdAt: Date; readonly updatedAt: Date };

const COLUMNS = `id, owner, title, description, palette, seed, version,
  created_at AS "createdAt", updated_at AS "updatedAt"`;
const MATCHES = `owner = $1 AND ($2 = '' OR title ILIKE $2 OR description ILIKE $2)`;

/** The photos of one user and the log of their changes. Every statement is confined to that user. */
export class Photos {
  readonly #sql: Sql;
  readonly #owner: string;
  /** The name of the log. */
  readonly origin: string;

  private constructor(sql: Sql, owner: string, origin: string) {
    this.#sql = sql;
    this.#owner = owner;
    this.origin = origin;
  }

  static async of(owner: string, sql: PGlite): Promise<Photos> {
    const { rows } = await sql.query<{ log: string }>('SELECT log FROM account WHERE name = $1', [owner]);
    if (!rows[0]) throw new Error(`The database has no account ${owner}.`);
    return new Photos(sql, owner, rows[0].log);
  }

  /** The same photos, written and read within a transaction. */
  within({ query }: Pick<PGlite, 'query'>): Photos {
    return new Photos({ query, transaction: (work) => work({ query }) }, this.#owner, this.origin);
  }

  /** The newest first; items, total and cursor are of one moment. */
  list({ page, size, query }: Page): Promise<PhotoList> {
    const pattern = query === '' ? '' : `%${query.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
    return this.#sql.transaction(async (sql) => {
      const { rows } = await sql.query<Row>(
        `SELECT ${COLUMNS} FROM photo WHERE ${MATCHES} ORDER BY id DESC LIMIT $3 OFFSET $4`,
        [this.#owner, pattern, size, (page - 1) * size],
      );
      const counted = await sql.query<{ total: number; cursor: number }>(
        `SELECT (SELECT count(*)::integer FROM photo WHERE ${MATCHES}) AS total,
                (SELECT changes FROM account WHERE name = $1) AS cursor`,
        [this.#owner, pattern],
      );
      const { total = 0, cursor = 0 } = counted.rows[0] ?? {};
      return { items: rows.map(toPhoto), total, cursor, origin: this.origin };
    });
  }

  async find(id: number): Promise<Photo | null> {
    return this.#one(`SELECT ${COLUMNS} FROM photo WHERE owner = $1 AND id = $2`, [this.#owner, id]);
  }

  async create({ title, description, palette, seed }: PhotoFields): Promise<Photo> {
    const created = await this.#one(
      `INSERT INTO photo (owner, title, description, palette, seed) VALUES ($1, $2, $3, $4, $5)
       RETURNING ${COLUMNS}`,
      [this.#owner, title, description, palette, seed],
    );
    if (!created) throw new Error('The database inserted a photo without returning it.');
    return created;
  }

  /** Null where there is no such photo, or none of that version. */
  async update(id: number, fields: PhotoFields, version: number | null): Promise<Photo | null> {
    const { title, description, palette, seed } = fields;
    return this.#one(
      `UPDATE photo SET title = $3, description = $4, palette = $5, seed = $6
       WHERE owner = $1 AND id = $2 AND ($7::integer IS NULL OR version = $7) RETURNING ${COLUMNS}`,
      [this.#owner, id, title, description, palette, seed, version],
    );
  }

  async delete(id: number, version: number | null): Promise<boolean> {
    const { affectedRows } = await this.#sql.query(
      'DELETE FROM photo WHERE owner = $1 AND id = $2 AND ($3::integer IS NULL OR version = $3)',
      [this.#owner, id, version],
    );
    return affectedRows === 1;
  }

  /** The number of the last change. */
  async cursor(): Promise<number> {
    const { rows } = await this.#sql.query<{ cursor: number }>(
      'SELECT changes AS cursor FROM account WHERE name = $1',
      [this.#owner],
    );
    return rows[0]?.cursor ?? 0;
  }

  /** Which photos changed after a cursor; of those older than what is kept, nothing is known. */
  async changedSince(cursor: number): Promise<Changed> {
    const { rows } = await this.#sql.query<{ kind: keyof Changed; photo: number }>(
      'SELECT kind, photo FROM log_entry WHERE owner = $1 AND number > $2 ORDER BY number',
      [this.#owner, cursor],
    );
    const ids = (kind: keyof Changed): number[] => [
      ...new Set(rows.filter((row) => row.kind === kind).map(({ photo }) => photo)),
    ];
    return { created: ids('created'), updated: ids('updated'), deleted: ids('deleted') };
  }

  /** The last changes, in their order. */
  async latestChanges(limit: number): Promise<readonly Change[]> {
    const latest = await this.#log('TRUE ORDER BY number DESC LIMIT $2', [limit]);
    return latest.toReversed();
  }

  /** The changes next to a cursor; null where some of them are no longer kept, or it is not a cursor of this log. */
  changesAfter(cursor: number, limit: number): Promise<readonly Change[] | null> {
    return this.#sql.transaction(async (sql) => {
      const kept = await sql.query<{ first: number; last: number }>(
        `SELECT coalesce(min(number), 1) AS first, coalesce(max(number), 0) AS last FROM log_entry
         WHERE owner = $1`,
        [this.#owner],
      );
      const { first = 1, last = 0 } = kept.rows[0] ?? {};
      if (cursor < first - 1 || cursor > last) return null;
      return this.#log('number > $2 ORDER BY number LIMIT $3', [cursor, limit], sql);
    });
  }

  async #log(
    condition: string,
    values: readonly number[],
    sql: Pick<Sql, 'query'> = this.#sql,
  ): Promise<readonly Change[]> {
    const { rows } = await sql.query<Omit<Change, 'at'> & { readonly at: Date }>(
      `SELECT number AS n, kind, photo AS id, title, at FROM log_entry WHERE owner = $1 AND ${condition}`,
      [this.#owner, ...values],
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
