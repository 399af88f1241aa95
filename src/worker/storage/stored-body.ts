import { digestInParts } from '../platform/digest-in-parts.ts';
import type { System } from '../platform/system.ts';
import type { Transaction } from './database.ts';
import { intactDeltas, deltasOf } from './patches.ts';
import { replay } from './replay.ts';
import { intactBody } from './response-record.ts';
import { intactAnswer } from './stored-answer.ts';
import type { StoredAnswer } from './stored-answer.ts';

/** What lies of an answer's bytes, as it was found. */
interface Bytes {
  readonly body: unknown;
  readonly patches: readonly unknown[];
}

/** What is known of an answer and what lies of its bytes, at one instant. */
export async function readBytes(
  transaction: Transaction<'readonly'>,
  key: string,
): Promise<{ readonly found: unknown; readonly bytes: Bytes }> {
  const [found, body]: unknown[] = await Promise.all([
    transaction.objectStore('responses').get(key),
    transaction.objectStore('bodies').get(key),
  ]);
  const patches: unknown[] = intactAnswer(found)?.log
    ? await transaction.objectStore('patches').getAll(deltasOf(key))
    : [];
  return { found, bytes: { body, patches } };
}

/**
 * The body, if it is whole. What was put together has to have the digest of what was received: a change that is missing
 * or that fits by accident makes a wrong body, which nobody may be given.
 */
export async function wholeBody(
  { record, log }: StoredAnswer,
  { body, patches }: Bytes,
  system: Pick<System, 'digest' | 'pause'>,
): Promise<ArrayBuffer | null> {
  if (log === null) return intactBody(record, body);
  const changes = intactDeltas(patches, log.count);
  if (changes === null || !(body instanceof ArrayBuffer)) return null;
  const whole = replay(new Uint8Array(body), changes);
  return whole && (await digestInParts(whole, system)) === record.digest
    ? intactBody(record, whole.buffer)
    : null;
}
