import { createHash, randomBytes } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';

/** Seconds. */
export const SESSION_LENGTH: number = 30 * 24 * 3_600;

/** Of more sessions than this the oldest end. */
const MOST = 1_000;

const TOKEN = /^[\w-]{43}$/;

/** Who is signed in, by a random token that only the browser has: the database knows its digest. */
export class Sessions {
  readonly #sql: PGlite;

  constructor(sql: PGlite) {
    this.#sql = sql;
  }

  /** Signs a user in; resolves with the token. */
  async begin(user: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.#sql.query(
      `DELETE FROM session WHERE ends_at <= now()
        OR digest NOT IN (SELECT digest FROM session ORDER BY ends_at DESC LIMIT $1)`,
      [MOST - 1],
    );
    await this.#sql.query(
      `INSERT INTO session (digest, account, ends_at) VALUES ($1, $2, now() + $3 * interval '1 second')`,
      [digestOf(token), user, SESSION_LENGTH],
    );
    return token;
  }

  /** The name of the user whose token it is; null for a token that is nobody's, or nobody's any more. */
  async userOf(token: string | null): Promise<string | null> {
    if (token === null || !TOKEN.test(token)) return null;
    const { rows } = await this.#sql.query<{ account: string }>(
      'SELECT account FROM session WHERE digest = $1 AND ends_at > now()',
      [digestOf(token)],
    );
    return rows[0]?.account ?? null;
  }

  async end(token: string | null): Promise<void> {
    if (token !== null) await this.#sql.query('DELETE FROM session WHERE digest = $1', [digestOf(token)]);
  }
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
