import { headerValue, isBrowsersOwn, isJsonType, isSameTag, withoutHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import { isNewer, newLineage, ordinalOf, isSameRevision } from '../../shared/outcome.ts';
import type { DeltaFrom, Change, StoredResponse } from '../contracts/response-store.ts';
import { freshnessOf } from './freshness.ts';
import type { Marks } from './selection.ts';
import { namesOf } from './selection.ts';
import { forbidsStoring } from '../contracts/storing.ts';
import type { Revision } from '../../shared/outcome.ts';

/** Ordinals in a millisecond: as many lineages may begin in it without running ahead of the clock. */
export const PER_MILLISECOND = 1_000;

/**
 * The latest that a clock is believed, in ordinals: the year 2096. Lineages of a later clock are counted on from there.
 * Ordinals even further ahead are ignored: they must stay safe integers, which messages need.
 */
const LATEST = 4_000_000_000_000_000;

/** The lineages that this worker instance has begun, and how it begins one younger than all. */
interface Beginning {
  readonly lines: Lines;
  readonly begin: () => string;
}

/**
 * The revision of an answer that is told before it is stored, given what is known to be stored. A new answer begins a
 * lineage of its own: if it is never stored, nothing else has its name. It is the next number of a lineage only if this
 * worker instance began that lineage and the answer `counts`: it is a loop's, which runs in one engine alone.
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

/** Decides what to store: nothing if a newer answer is stored, a byte delta only if its base is the stored answer. */
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

/** Milliseconds by which a stored answer may seem older than it is; of one that is fresh, at most half its lifetime. */
const GRAIN = 10_000;

/** True if a description says so little more than the stored one that it need not be written. */
export function isAsGood(stored: StoredResponse, next: StoredResponse): boolean {
  const later = next.receivedAt - stored.receivedAt;
  return (
    later >= 0 && later < GRAIN && !stored.isOutdated && later < grainOf(stored) && isSaidAlike(stored, next)
  );
}

function grainOf(stored: StoredResponse): number {
  const { lifetime } = freshnessOf(stored, stored.receivedAt);
  return lifetime > 0 ? lifetime * 500 : GRAIN;
}

/** True if the same sender says the same, at whatever time. */
function isSaidAlike(one: StoredResponse, other: StoredResponse): boolean {
  const [before, now] = [one, other].map(({ sender, finalUrl, selectedBy, proof, status, headers }) =>
    JSON.stringify([
      sender,
      finalUrl,
      selectedBy,
      proof,
      status,
      headers.filter(([name]) => !['date', 'age'].includes(name.toLowerCase())),
    ]),
  );
  return before === now;
}

function isSameBody(
  one: Pick<StoredResponse, 'digest' | 'size' | 'headers'>,
  other: Pick<StoredResponse, 'digest' | 'size' | 'headers'>,
): boolean {
  // A short text may be the very one of which the digest of a long body is made.
  return one.digest === other.digest && one.size === other.size && isReadAlike(one, other);
}

/** True if the same bytes mean the same: all JSON is read alike, but a text depends on its charset. */
function isReadAlike(one: Pick<StoredResponse, 'headers'>, other: Pick<StoredResponse, 'headers'>): boolean {
  const [before, now] = [one, other].map(({ headers }) => headerValue(headers, 'content-type'));
  return before === now || [before, now].every((type = null) => isJsonType(type));
}

/**
 * Decides what a 304 changes (RFC 9111 section 4.3.4): nothing if another answer has replaced the one asked about, or a
 * write has outdated that since.
 */
export function confirmBy(
  current: StoredResponse | null,
  asked: StoredResponse,
  { headers, receivedAt, delay = 0, marks = {} }: Confirmation,
): Change {
  if (current === null || !isSameRevision(current.revision, asked.revision)) return { kind: 'keep' };
  if (isOfAnother(current.headers, headers) || forbidsStoring(headers)) return { kind: 'keep' };
  if (current.isOutdated && !asked.isOutdated) return { kind: 'keep' };
  return {
    kind: 'describe',
    stored: {
      ...withoutMarks(current),
      ...marks,
      // Its key is not that of an answer which varies so: the next request brings another.
      ...(namesMore(current.headers, headers) && { isOutdated: true, sender: UNKNOWN_SENDER }),
      headers: updated(current.headers, headers),
      receivedAt,
      ...(delay > 0 && { delay }),
    },
  };
}

/** True if a 304 says that the answer varies by more than the stored one does, beside what only the browser sets. */
function namesMore(stored: readonly Header[], confirming: readonly Header[]): boolean {
  const before = namesOf(stored);
  return namesOf(confirming).some((name) => !before.includes(name) && !isBrowsersOwn(name));
}

/** Stands for a sender that is unknown: the next request validates nothing. */
export const UNKNOWN_SENDER = '';

/** The headers of a 304, when it came, and what there is to say of its request. */
export interface Confirmation {
  readonly headers: readonly Header[];
  /** Milliseconds of the epoch. */
  readonly receivedAt: number;
  /** Milliseconds from the request to the answer. */
  readonly delay?: number;
  readonly marks?: Marks;
}

/** A 304, and the headers of the request that it answers, as they were sent. */
export interface Confirming extends Omit<Confirmation, 'marks'> {
  readonly sent: readonly Header[];
  /** False once a write to its URL has ended since: the 304 may be from before that. If missing, it counts as true. */
  readonly holds?: () => boolean;
}

/** The marks of an answer are those of the last request that brought or confirmed it. */
function withoutMarks({
  isOutdated: _isOutdated,
  newer: _newer,
  delay: _delay,
  selectedBy: _selectedBy,
  proof: _proof,
  ...rest
}: StoredResponse): StoredResponse {
  return rest;
}

/** Replaces the description of an answer, if that answer is still the stored one. */
export function redescribed(current: StoredResponse | null, stored: StoredResponse): Change {
  const isIt = current !== null && isSameRevision(current.revision, stored.revision);
  return isIt ? { kind: 'describe', stored } : { kind: 'keep' };
}

/**
 * True if a 304 is about another representation than the stored one (RFC 9111 section 4.3.4). Weak and strong
 * validators are alike here: a server that compresses makes the validator of a body weak, but not that of its 304.
 */
export function isOfAnother(stored: readonly Header[], confirming: readonly Header[]): boolean {
  const [before, now] = [headerValue(stored, 'etag'), headerValue(confirming, 'etag')];
  if (now === null) return isOfAnotherDate(stored, confirming);
  return before === null ? !now.startsWith('W/') : !isSameTag(before, now);
}

/** A file that an older one has replaced is no younger than the stored one, which is all that a server compares. */
function isOfAnotherDate(stored: readonly Header[], confirming: readonly Header[]): boolean {
  const [before, now] = [stored, confirming].map((headers) => headerValue(headers, 'last-modified'));
  return before !== now && typeof before === 'string' && typeof now === 'string';
}

/** RFC 9111 section 3.2: these describe the stored body, or the message that brought the confirmation. */
const KEPT = [
  'content-length',
  'content-encoding',
  'content-type',
  'content-md5',
  'content-range',
  'set-cookie',
  'connection',
  // The key goes by what the stored answer says.
  'vary',
];

function updated(stored: readonly Header[], confirming: readonly Header[]): Header[] {
  const news = confirming.filter(([name]) => !KEPT.includes(name.toLowerCase()));
  // Age and Date are those of the message which said them.
  const lasting = withoutHeader(withoutHeader(stored, 'age'), 'date');
  const rest = news.reduce((headers, [name]) => withoutHeader(headers, name), lasting);
  return [...rest, ...news];
}

/**
 * Names new lineages, each younger than all that this worker, its storage or a page knows. They count up from the
 * clock, to stay above what a lost storage had. Storage or a page's greeting shows if the clock was set back.
 */
export class Lineages {
  readonly #now: () => number;
  readonly #uuid: () => string;
  #highest = 0;
  /** Lineages below this began by a clock that was behind what some page knows. */
  #floor = 0;

  constructor(now: () => number, uuid: () => string) {
    this.#now = now;
    this.#uuid = uuid;
  }

  /** The name of a lineage that begins now. */
  begin(): string {
    this.#highest = Math.max(this.#highest + 1, this.#clock);
    return newLineage(this.#highest, this.#uuid());
  }

  /** A lineage of this ordinal exists: none that begins later is older. */
  heed(ordinal: number): void {
    if (ordinal > this.#clock + LATEST) return;
    const isAhead = ordinal > Math.max(this.#highest, this.#clock);
    this.#highest = Math.max(this.#highest, ordinal);
    if (isAhead) this.#floor = ordinal;
  }

  /** True if a page may know, and keep, a younger lineage of the same answer: the next answer begins another. */
  isBehind({ lineage }: Revision): boolean {
    return ordinalOf(lineage) < this.#floor;
  }

  get #clock(): number {
    return Math.min(this.#now() * PER_MILLISECOND, LATEST);
  }
}

/**
 * The lineages that this worker instance has begun. It alone knows what it has told of them, so no other instance
 * continues them; nor does it continue them itself once something that it told is lost.
 */
export class Lines {
  readonly #uuid: () => string;
  #name: string | null = null;
  #begun = 0;

  constructor(uuid: () => string) {
    this.#uuid = uuid;
  }

  /** An unguessable name that no other lineage has. */
  next(): string {
    this.#name ??= this.#uuid();
    this.#begun += 1;
    return `${this.#name}.${this.#begun}`;
  }

  isOwn(line: string): boolean {
    return this.#name !== null && line.includes(`-${this.#name}.`);
  }

  /** Something that was told is not stored: its number must not be given again. */
  abandon(): void {
    this.#name = null;
  }
}
