import { headerValue } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { foundIn } from '../contracts/response-store.ts';
import type { Lookup, StoredResponse } from '../contracts/response-store.ts';
import { strongTag } from './write.ts';

export interface ChangedVersionPorts {
  /** The URL of an invocation; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /** What came last of the URL for requests with these headers, as it is stored by now. Never rejects. */
  readonly lastSeen: (invocation: Invocation, url: string) => Promise<Lookup<StoredResponse>>;
  /** True if a write may have changed since what it says. */
  readonly isOutdated: (stored: StoredResponse) => boolean;
}

/** Where the page says one of these, it has said which version it changes. */
const CONDITIONS = ['if-match', 'if-none-match'];

/**
 * The strong ETag of the version that a write changes: the one that was seen last, however that was read. Null where none is
 * known, or the page has said what it changes. Never rejects.
 */
export async function changedVersion(
  { urlOf, lastSeen, isOutdated }: ChangedVersionPorts,
  invocation: Invocation,
): Promise<string | null> {
  const says = CONDITIONS.some((name) => headerValue(invocation.headers, name) !== null);
  const url = invocation.method === 'POST' || says ? null : urlOf(invocation);
  const stored = url === null ? null : foundIn(await lastSeen(invocation, url));
  // Another origin's versions are others; an empty one stands for its own, which is not validated any more. What a write has changed since is another version.
  return stored && !stored.sender && !isOutdated(stored) ? strongTag(stored.headers) : null;
}
