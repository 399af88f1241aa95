import { headerValue } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { foundIn } from '../contracts/response-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { Pauses } from '../platform/pauses.ts';
import type { Clock } from '../platform/system.ts';
import { soon } from '../platform/waiting.ts';

/** Milliseconds until a disk that has not said what is stored is asked again; then twice as long each time. */
const FIRST_PAUSE = 100;

export interface ChangedVersionPorts {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The URL of an invocation; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /**
   * The ETag of the newest version of the URL that was seen with these headers, or that a write of ours has made; empty where it
   * has none, or that is not known. As it is stored by now. Never rejects.
   */
  readonly lastVersion: (invocation: Invocation, url: string) => Promise<Lookup<string>>;
  /** The same as far as this worker instance knows. Never rejects. */
  readonly lastKnownVersion: (invocation: Invocation, url: string) => Promise<string | null>;
}

/** Where the page says one of these, it has said which version it changes: the last does not count beside `If-Match`. */
const CONDITIONS = ['if-match', 'if-none-match', 'if-unmodified-since'];

/** True for a write that is to say which version it changes: no POST, and none whose page has said that. */
export function saysVersion(invocation: Invocation): boolean {
  return invocation.method !== 'POST' && ownCondition(invocation) === null;
}

/** By what a write says which version it changes: a condition of its page, or an ETag that was known; null where it does not. */
export function saidVersion({ invocation, matches }: WaitingWrite): string | null {
  return ownCondition(invocation) ?? matches;
}

function ownCondition({ headers }: Invocation): string | null {
  const [own = null] = CONDITIONS.flatMap((name) => headerValue(headers, name) ?? []);
  return own;
}

/** Of one ETag, though it lacks the quotes. A list, `*`, a part of one and a weak one mean something else in `If-Match`. */
const STRONG_TAG = /^(?:"[^"]*"|[^\s",*]+)$/;

/** `If-Match` compares strongly, so that a weak ETag would never match (RFC 9110 section 13.1.1). */
export function strongTag(headers: readonly Header[] = []): string | null {
  const etag = headerValue(headers, 'etag');
  return etag !== null && STRONG_TAG.test(etag) ? etag : null;
}

/**
 * The strong ETag of the version that a write changes: the one that was seen last, however that was read. Null where none is
 * known, or the page has said what it changes. Never rejects.
 */
export async function changedVersion(
  ports: ChangedVersionPorts,
  invocation: Invocation,
): Promise<string | null> {
  const url = saysVersion(invocation) ? ports.urlOf(invocation) : null;
  const tag = url === null ? null : await lastVersion(ports, invocation, url);
  return tag === null ? null : strongTag([['ETag', tag]]);
}

/** Without its version, a write would overwrite what others have made of it: a late disk is waited for. */
async function lastVersion(
  ports: ChangedVersionPorts,
  invocation: Invocation,
  url: string,
): Promise<string | null> {
  const { clock, lastKnownVersion } = ports;
  const over = new AbortController();
  const asked = askedAgain(ports, invocation, url, over.signal);
  const found = await soon(clock, LIMITS.opening + LIMITS.transaction, asked);
  over.abort();
  if (found && found.kind !== 'unknown') return foundIn(found);
  // Its name may not be known, which is not waited for as well.
  return soon(clock, 0, lastKnownVersion(invocation, url));
}

/** Asks until the disk says what is stored, or the signal aborts. */
async function askedAgain(
  ports: ChangedVersionPorts,
  invocation: Invocation,
  url: string,
  signal: AbortSignal,
): Promise<Lookup<string>> {
  const pauses = new Pauses(ports.clock, FIRST_PAUSE);
  for (;;) {
    const found = await ports.lastVersion(invocation, url);
    if (found.kind !== 'unknown' || signal.aborted) return found;
    await pauses.after(found.error, signal);
  }
}
