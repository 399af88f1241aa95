import type { Document } from './document.ts';
import { scan } from './scan.ts';
import { validate } from './validate.ts';

/**
 * Reads a first body: a document whose every member is proven to be JSON. Null where it is not one, or not worth
 * comparing: which of both, JSON.parse has to say.
 */
export function* readDocument(
  bytes: Uint8Array,
  hint: readonly string[] | null = null,
): Generator<void, Document | null> {
  const document = yield* scan(bytes, hint);
  return document && (yield* validate(document)) ? document : null;
}
