import { createHash } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import { Answers } from './answers.ts';
import type { OwnRoute, OwnWrite } from './own-routes.ts';
import { Problem } from './problem.ts';
import { readBody } from './request-body.ts';
import type { Visit } from './router.ts';

const LONGEST_KEY = 255;

/** A string of a structured field (RFC 8941), or a bare token. */
const KEY = /^(?:"([\x20\x21\x23-\x5B\x5D-\x7E]+)"|([\w.:-]+))$/;

/**
 * The write as a route. One that comes with an `Idempotency-Key` is performed once, however often it is sent: its answer is
 * stored in the transaction that performs it, and answers the same key again. What was refused has changed nothing, so
 * that is not stored: it may succeed the next time.
 */
export function once({ perform, ...route }: OwnWrite, sql: PGlite): OwnRoute {
  return {
    ...route,
    async handle(visit, own) {
      const key = readKey(visit.headers['idempotency-key']);
      const write = { ...visit, body: await readBody(visit.request) };
      if (key === null) return perform(write, own);
      const digest = digestOf(visit, write.body.text);
      return sql.transaction(async (transaction) => {
        const answers = new Answers(transaction, own.user);
        const known = await answers.find(key, digest);
        if (known) return known;
        const reply = await perform(write, { ...own, photos: own.photos.within(transaction) });
        await answers.store(key, digest, reply);
        return reply;
      });
    },
  };
}

function readKey(header: string | readonly string[] | undefined): string | null {
  if (header === undefined) return null;
  const [, quoted, bare] = KEY.exec(String(header).trim()) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined && key.length <= LONGEST_KEY) return key;
  throw new Problem(400, `An Idempotency-Key is a string of at most ${LONGEST_KEY} characters, in quotes.`);
}

function digestOf({ method, url }: Visit, text: string): string {
  return createHash('sha256').update(`${method} ${url.pathname}\n${text}`).digest('base64url');
}
