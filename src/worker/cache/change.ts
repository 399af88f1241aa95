import { headerValue, isJsonType, withoutHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import { isNewer, newLineage, ordinalOf } from '../../shared/lineage.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { DeltaFrom } from '../contracts/byte-delta.ts';
import type { Change, StoredResponse } from '../contracts/response-store.ts';
import { forbidsStoring } from './storable.ts';
import type { Revision } from '../../shared/outcome.ts';

/** Ordinals in a millisecond: as many lines may begin in it without running ahead of the clock. */
const PER_MILLISECOND = 1_000;

/**
 * The latest that a clock is believed, in ordinals: the year 2096. By one beyond that lines are counted on from there. What
 * is as far ahead of the clock again was made by none and is not heeded: ordinals stay safe integers, which messages need.
 */
const LATEST = 4_000_000_000_000_000;

/** The lines that this life has begun, and how it begins another, younger than all. */
interface Beginning {
  readonly lines: Lines;
  readonly begin: () => string;
}

/**
 * Which revision an answer is that is told before it is stored, given what is known to be stored. What is new begins a
 * line of its own: should it never be stored, nothing else bears its name. It is the next number of a line only where
 * this life has begun that, and `counts`: a loop's, which runs in one engine alone.
 */
export function writtenBehind(
  known: StoredResponse | null,
  incoming: Omit<StoredResponse, 'revision'>,
  { lines, begin }: Beginning,
  counts: boolean,
): { readonly changed: boolean; readonly stored: StoredResponse } {
  if (known !== null && isSameBody(known, incoming))
    return { changed: false, stored: { ...incoming, revision: known.revision } };
  if (known !== null && counts && lines.isOwn(known.revision.lineage)) {
    const { lineage, number } = known.revision;
    return { changed: true, stored: { ...incoming, revision: { lineage, number: number + 1 } } };
  }
  return { changed: true, stored: { ...incoming, revision: { lineage: begin(), number: 1 } } };
}

/**
 * What is to be stored of what was told: nothing, where something newer lies there by now. How its bytes were derived is
 * of use only where those lie there that they were derived from.
 */
export function changeTo(
  current: StoredResponse | null,
  stored: StoredResponse,
  body: ArrayBuffer,
  derivation: DeltaFrom | null = null,
): Change {
  if (current === null) return { kind: 'replace', stored, body };
  if (isSameRevision(current.revision, stored.revision)) return { kind: 'describe', stored };
  if (isNewer(current.revision, stored.revision)) return { kind: 'keep' };
  if (derivation === null || !isSameRevision(derivation.from, current.revision))
    return { kind: 'replace', stored, body };
  return { kind: 'amend', stored, from: derivation.from, change: derivation.change, body };
}

/** Milliseconds by which what is stored may seem older than it is. */
const GRAIN = 10_000;

/** Whether a description says so little more than the one that is stored that it need not be written. */
export function isAsGood(stored: StoredResponse, next: StoredResponse): boolean {
  const later = next.receivedAt - stored.receivedAt;
  return later >= 0 && later < GRAIN && isSaidAlike(stored, next);
}

/** Whether the same sender says the same, but for when it does. */
function isSaidAlike(one: StoredResponse, other: StoredResponse): boolean {
  const [before, now] = [one, other].map(({ sender, finalUrl, status, headers }) =>
    JSON.stringify([
      sender,
      finalUrl,
      status,
      headers.filter(([name]) => !['date', 'age'].includes(name.toLowerCase())),
    ]),
  );
  return before === now;
}

function isSameBody(
  one: Pick<StoredResponse, 'digest' | 'headers'>,
  other: Pick<StoredResponse, 'digest' | 'headers'>,
): boolean {
  return one.digest === other.digest && isReadAlike(one, other);
}

/** Whether the same bytes mean the same: JSON is not its text, and a text goes by its charset. */
function isReadAlike(one: Pick<StoredResponse, 'headers'>, other: Pick<StoredResponse, 'headers'>): boolean {
  const [before, now] = [one, other].map(({ headers }) => headerValue(headers, 'content-type'));
  return before === now || [before, now].every((type = null) => isJsonType(type));
}

/**
 * What a 304 means for what is stored (RFC 9111 section 4.3.4): nothing, if another answer has taken the place of
 * the one that was asked about, whose headers would then tell lies about a different body.
 */
export function confirmBy(
  current: StoredResponse | null,
  asked: StoredResponse,
  headers: readonly Header[],
  receivedAt: number,
): Change {
  if (current === null || !isSameRevision(current.revision, asked.revision)) return { kind: 'keep' };
  if (isOfAnother(current.headers, headers) || forbidsStoring(headers)) return { kind: 'keep' };
  return { kind: 'describe', stored: { ...current, headers: updated(current.headers, headers), receivedAt } };
}

/** Has a description take the place of the one that is stored of the same answer. */
export function redescribed(current: StoredResponse | null, stored: StoredResponse): Change {
  const isIt = current !== null && isSameRevision(current.revision, stored.revision);
  return isIt ? { kind: 'describe', stored } : { kind: 'keep' };
}

/**
 * Whether a 304 is about another representation than the stored one, whose validator it does not have (RFC 9111 section
 * 4.3.4). A server that compresses makes the validator of a body weak, but not that of the 304 to it: weak and strong
 * are not told apart.
 */
export function isOfAnother(stored: readonly Header[], confirming: readonly Header[]): boolean {
  const [before, now] = [headerValue(stored, 'etag'), headerValue(confirming, 'etag')];
  if (now === null) return false;
  return before === null ? !WEAK.test(now) : before.replace(WEAK, '') !== now.replace(WEAK, '');
}

const WEAK = /^W\//;

/** RFC 9111 section 3.2: these describe the stored body, or the message that brought the confirmation. */
const KEPT = [
  'content-length',
  'content-encoding',
  'content-type',
  'content-range',
  'set-cookie',
  'connection',
];

function updated(stored: readonly Header[], confirming: readonly Header[]): Header[] {
  const news = confirming.filter(([name]) => !KEPT.includes(name.toLowerCase()));
  const rest = news.reduce((headers, [name]) => withoutHeader(headers, name), [...stored]);
  return [...rest, ...news];
}

/**
 * Names new lines of revisions, each younger than all that this worker, its storage or a page knows. The clock is where
 * counting begins, so that a worker whose storage is lost goes on above what it had; where the clock was set back, what
 * is stored or what a page says in its greeting shows it.
 */
export class Lineages {
  readonly #now: () => number;
  readonly #uuid: () => string;
  #highest = 0;
  /** Lines below this began by a clock that was behind what some page knows. */
  #floor = 0;

  constructor(now: () => number, uuid: () => string) {
    this.#now = now;
    this.#uuid = uuid;
  }

  /** The name of a line that begins now. */
  begin(): string {
    this.#highest = Math.max(this.#highest + 1, this.#clock);
    return newLineage(this.#highest, this.#uuid());
  }

  /** There is a line of this ordinal: none that begins later is older. */
  heed(ordinal: number): void {
    if (ordinal > this.#clock + LATEST) return;
    const isAhead = ordinal > Math.max(this.#highest, this.#clock);
    this.#highest = Math.max(this.#highest, ordinal);
    if (isAhead) this.#floor = ordinal;
  }

  /**
   * Whether a page may know something younger of the same answer, which it does not leave for this line: its next answer
   * begins another.
   */
  isBehind({ lineage }: Revision): boolean {
    return ordinalOf(lineage) < this.#floor;
  }

  get #clock(): number {
    return Math.min(this.#now() * PER_MILLISECOND, LATEST);
  }
}

/**
 * The lines of revisions that this life of the worker has begun. It alone knows what it has told of them, so no other
 * goes on with them; nor does it itself, once something of what it told is lost.
 */
export class Lines {
  readonly #uuid: () => string;
  #name: string | null = null;
  #begun = 0;

  /** `uuid` makes a new unguessable name. */
  constructor(uuid: () => string) {
    this.#uuid = uuid;
  }

  /** Something unguessable that no other line has. */
  next(): string {
    this.#name ??= this.#uuid();
    this.#begun += 1;
    return `${this.#name}.${this.#begun}`;
  }

  isOwn(line: string): boolean {
    return this.#name !== null && line.includes(`-${this.#name}.`);
  }

  /** Something that was told is not stored: its number may not be given once more. */
  abandon(): void {
    this.#name = null;
  }
}
