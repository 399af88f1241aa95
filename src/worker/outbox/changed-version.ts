import { headerValue } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { foundIn } from '../contracts/response-store.ts';
import type { Lookup, StoredResponse } from '../contracts/response-store.ts';
import { Pauses } from '../platform/pauses.ts';
import type { Clock } from '../platform/system.ts';
import { soon } from '../platform/waiting.ts';
import { strongTag } from './write.ts';

/** Milliseconds until a disk that has not said what is stored is asked again; then twice as long each time. */
const FIRST_PAUSE = 100;

export interface ChangedVersionPorts {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The URL of an invocation; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /** What came last of the URL for requests with these headers, as it is stored by now. Never rejects. */
  readonly lastSeen: (invocation: Invocation, url: string) => Promise<Lookup<StoredResponse>>;
  /** The same as far as this worker instance knows. Never rejects. */
  readonly lastKnown: (invocation: Invocation, url: string) => Promise<StoredResponse | null>;
  /** True if a write may have changed since what it says. */
  readonly isOutdated: (stored: StoredResponse) => boolean;
}

/** Where the page says one of these, it has said which version it changes: the last does not count beside `If-Match`. */
const CONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since'];

/**
 * The strong ETag of the version that a write changes: the one that was seen last, however that was read. Null where none is
 * known, or the page has said what it changes. Never rejects.
 */
export async function changedVersion(
  ports: ChangedVersionPorts,
  invocation: Invocation,
): Promise<string | null> {
  const says = CONDITIONS.some((name) => headerValue(invocation.headers, name) !== null);
  const url = invocation.method === 'POST' || says ? null : ports.urlOf(invocation);
  const stored = url === null ? null : await lastSeen(ports, invocation, url);
  // Another origin's versions are others; an empty one stands for its own. What a write has changed since is another version.
  return stored && !stored.sender && !ports.isOutdated(stored) ? strongTag(stored.headers) : null;
}

/** Without its version, a write would overwrite what others have made of it: a late disk is waited for. */
async function lastSeen(
  ports: ChangedVersionPorts,
  invocation: Invocation,
  url: string,
): Promise<StoredResponse | null> {
  const { clock, lastKnown } = ports;
  const over = new AbortController();
  const asked = askedAgain(ports, invocation, url, over.signal);
  const found = await soon(clock, LIMITS.opening + LIMITS.transaction, asked);
  over.abort();
  if (found && found.kind !== 'unknown') return foundIn(found);
  // Its name may not be known, which is not waited for as well.
  return soon(clock, 0, lastKnown(invocation, url));
}

/** Asks until the disk says what is stored, or the signal aborts. */
async function askedAgain(
  ports: ChangedVersionPorts,
  invocation: Invocation,
  url: string,
  signal: AbortSignal,
): Promise<Lookup<StoredResponse>> {
  const pauses = new Pauses(ports.clock, FIRST_PAUSE);
  for (;;) {
    const found = await ports.lastSeen(invocation, url);
    if (found.kind !== 'unknown' || signal.aborted) return found;
    await pauses.after(found.error, signal);
  }
}
