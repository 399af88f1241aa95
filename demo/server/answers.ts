import type { PGlite } from '@electric-sql/pglite';
import { Problem } from './problem.ts';
import type { Reply } from './reply.ts';

/** Days for which the answer to a key is known: a write that has waited for longer may be performed twice. */
const KEPT = 7;

/** The answers to one user's keys. */
export class Answers {
  readonly #sql: Pick<PGlite, 'query'>;
  readonly #owner: string;

  constructor(sql: Pick<PGlite, 'query'>, owner: string) {
    this.#sql = sql;
    this.#owner = owner;
  }

  /** Null for a key that is new, or was forgotten. A key that came with another write is a mistake of the client. */
  async find(key: string, digest: string): Promise<Reply | null> {
    const { rows } = await this.#sql.query<Reply & { readonly digest: string }>(
      'SELECT digest, status, headers, body FROM answer WHERE owner = $1 AND key = $2 AND ends_at > now()',
      [this.#owner, key],
    );
    const [known] = rows;
    if (!known) return null;
    if (known.digest !== digest) throw new Problem(422, 'This Idempotency-Key belongs to another write.');
    const { status, headers, body } = known;
    return { status, headers, body };
  }

  async store(key: string, digest: string, { status, headers, body }: Reply): Promise<void> {
    await this.#sql.query('DELETE FROM answer WHERE ends_at <= now()');
    await this.#sql.query(
      `INSERT INTO answer (owner, key, digest, status, headers, body, ends_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 day')`,
      [this.#owner, key, digest, status, JSON.stringify(headers), body, KEPT],
    );
  }
}
