import type { OutboxEntry } from 'offstage';
import { plural } from '../amount.ts';
import { isTemporary, readId } from '../photo.ts';
import type { Photo, PhotoId } from '../photo.ts';
import { fieldsOf } from '../shown-at-once.ts';
import type { Fields } from '../shown-at-once.ts';

const GONE = 'Somebody has deleted this photo. What you wrote can be added as a new one.';

/** A change of the collection that its server has not performed yet. */
export interface WaitingWrite {
  readonly entry: OutboxEntry;
  readonly kind: 'create' | 'update' | 'remove';
  /** The id of the photo that it changes; the temporary one of a new photo. */
  readonly photo: PhotoId;
  /** What the photo is to be; null for one that is to be deleted. */
  readonly fields: Fields | null;
}

/** What is known beside the write itself. */
export interface Circumstances {
  readonly online: boolean;
  /** The name of the write that it has to wait for; null for none. */
  readonly behind: string | null;
  /** What the server said to refuse it; null where that is not known here. */
  readonly said: string | null;
}

/** Null for a write that is no change of a photo. */
export function readWrite(entry: OutboxEntry): WaitingWrite | null {
  const { action, params, data, temporaryId } = entry;
  if (action !== 'create' && action !== 'update' && action !== 'remove') return null;
  const photo = action === 'create' ? temporaryId : readId(String(params['id']));
  return { entry, kind: action, photo: photo ?? '', fields: action === 'remove' ? null : fieldsOf(data) };
}

export function needsDecision({ entry: { state } }: WaitingWrite): boolean {
  return state === 'conflict' || state === 'review';
}

/**
 * True where the server may perform it, or have performed it, though it be discarded. What came of attempts before the last one is
 * not known here.
 */
export function mayBeDone({ entry: { state, attempts, failure } }: WaitingWrite): boolean {
  if (state === 'sending') return true;
  const isRefused = failure?.code === 'http' && (failure.status < 500 || failure.status === 503);
  if (state === 'conflict' || state === 'review') return attempts > 0 && !isRefused;
  const isUnsent = failure?.code === 'offline' || failure?.code === 'credentials';
  return attempts > (isRefused || isUnsent ? 1 : 0);
}

/** A write in words; `known` is the photo that it changes. */
export function nameOf({ kind, photo, fields }: WaitingWrite, known: Photo | null): string {
  const title = known?.title ?? (fields?.title || (isTemporary(photo) ? 'a new photo' : `photo ${photo}`));
  switch (kind) {
    case 'create':
      return `New photo “${title}”`;
    case 'update':
      return `Edit of “${title}”`;
    default:
      return `Delete “${title}”`;
  }
}

/** Its state in a word. */
export function stateOf({ entry: { state } }: WaitingWrite): string {
  switch (state) {
    case 'sending':
      return 'Sending';
    case 'paused':
      return 'Paused';
    case 'conflict':
      return 'Conflict';
    case 'review':
      return 'Refused';
    default:
      return 'Waits';
  }
}

/** The same for a badge on the photo, which does not say elsewhere what waits. */
export function badgeOf(write: WaitingWrite): string {
  if (write.entry.state !== 'queued') return stateOf(write);
  return { create: 'New, waits', update: 'Edit waits', remove: 'Delete waits' }[write.kind];
}

/** True for an edit of a photo that somebody has deleted. */
export function isOrphan({ kind, entry: { state, failure } }: WaitingWrite): boolean {
  return kind === 'update' && state === 'review' && failure?.code === 'http' && isGone(failure.status);
}

/** Of several writes the one that somebody should know of first. */
export function foremost(writes: readonly WaitingWrite[]): WaitingWrite | null {
  const order = ['conflict', 'review', 'paused', 'sending', 'queued'];
  const rank = ({ entry }: WaitingWrite): number => order.indexOf(entry.state);
  return writes.toSorted((one, other) => rank(one) - rank(other))[0] ?? null;
}

/** Why it waits, in a sentence or two. */
export function reasonOf(write: WaitingWrite, { online, behind, said }: Circumstances): string {
  const { kind, entry } = write;
  const { state, failure, attempts } = entry;
  switch (state) {
    case 'sending':
      return 'It is on its way to the server.';
    case 'paused':
      return 'The server does not know who you are any more. It is sent once you have signed in again.';
    case 'conflict':
      return kind === 'remove'
        ? 'Somebody has changed this photo since you saw it. Delete it all the same?'
        : 'Somebody else has changed this photo, too. Choose which version stays.';
    case 'review':
      return isOrphan(write) ? GONE : (said ?? refusalOf(failure));
    default:
      if (behind !== null) return `Its turn comes after: ${behind}.`;
      if (!online) return 'It is sent by itself when the network is back.';
      if (!failure) return 'It is sent in a moment.';
      return `${causeOf(failure)}. It is tried again by itself; ${plural(attempts, 'attempt')} so far.`;
  }
}

/** How many wait, and how many of them for somebody's decision. */
export function summaryOf(writes: readonly WaitingWrite[]): string {
  const count = writes.length;
  if (count === 0) return 'Nothing waits.';
  const decisions = writes.filter((write) => needsDecision(write)).length;
  const all = `${plural(count, 'change')} ${count === 1 ? 'waits' : 'wait'}`;
  if (decisions === 0) return `${all}.`;
  return `${all}, ${decisions} for you.`;
}

function refusalOf(failure: OutboxEntry['failure']): string {
  if (failure?.code !== 'http') return failure ? `${causeOf(failure)}.` : 'The server has refused it.';
  if (isGone(failure.status)) return 'The photo is not on the server any more.';
  return `The server does not take it as it is (status ${failure.status}).`;
}

function isGone(status: number): boolean {
  return status === 404 || status === 410;
}

function causeOf(failure: NonNullable<OutboxEntry['failure']>): string {
  switch (failure.code) {
    case 'offline':
    case 'network':
      return 'The server could not be reached';
    case 'timeout':
      return 'The server did not answer in time';
    case 'http':
      return `The server is in trouble (status ${failure.status})`;
    default:
      return failure.message.replace(/\.$/, '');
  }
}
