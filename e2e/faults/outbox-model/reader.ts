import { nameOf } from './ledger.ts';
import type { Given, Ledger } from './ledger.ts';
import type { User } from './plan.ts';
import { isAllowed } from './shown.ts';
import type { Standing } from './shown.ts';
import { isAside, isByApp, isOrphan, isQueued } from './written.ts';
import type { Row, Written } from './written.ts';

/** Milliseconds within which a page hears what has become of a write, while nothing disturbs that. */
const HEARD = 3_000;

/** Milliseconds for which answers are left out that may contain what a function of the app has changed. */
const LEFT_OUT = 3_000;

/** What the model has to know of the page that shows a list. */
export interface Showing {
  readonly page: object;
  readonly user: User | null;
  /** Whose cookie the browser has. A server answers by it, though the page has not called `signIn` yet. */
  readonly cookie: User | null;
  /** Counts its users, one after the other. */
  readonly era: number;
  /** Since when nothing has kept it from hearing of writes; infinite while something does. */
  readonly calmSince: number;
  /** False in the midst of the page's work: a call may have ended, of which its caller has not heard yet. */
  readonly isSettled: boolean;
  /** True where the page has been told that the write is in review. */
  readonly hasHeardOfReview: (write: Written) => boolean;
}

/** One list that a page shows, by a query or a store, and what it may have been made of. */
export class Reader {
  readonly #name: string;
  readonly #ledger: Ledger;
  #era = -1;
  /** It shows a version from this on. */
  #oldest = 0;
  /** The newest version that it may have shown first, and when; null before. */
  #first: { readonly version: number; readonly at: number } | null = null;
  /** When it came to show that version, and whether nothing else had been shown for long by then. */
  #oldestSince = 0;
  #isAfterLong = false;
  /** Writes that it has had to show. */
  readonly #known = new Set<Written>();

  constructor(name: string, ledger: Ledger) {
    this.#name = name;
    this.#ledger = ledger;
  }

  /** Looks at what is shown: `data` is null where that is nothing. */
  look(data: unknown, showing: Showing): void {
    if (showing.era !== this.#era) this.#begin(showing.era);
    const user = showing.user ?? showing.cookie;
    if (!Array.isArray(data)) {
      if (this.#first !== null) this.#differ('shows nothing any more');
      return;
    }
    if (user === null) return this.#differ('shows a list though nobody is signed in');
    const rows: readonly Row[] = data;
    const given = this.#ledger.given.filter((each) => each.user === user && each.version >= this.#oldest);
    const versions = [...new Set(given.map(({ version }) => version))].toSorted((one, other) => one - other);
    // Nobody has no writes.
    const writes = this.#ledger.writes.filter((each) => each.user === showing.user);
    this.#learn(writes, showing);
    const fits = versions.filter((version) => this.#fits(rows, version, writes, given, showing));
    const [oldest] = fits;
    if (oldest === undefined) return this.#differ(this.#wordsFor(rows, versions, writes, showing));
    if (oldest !== this.#oldest) {
      this.#isAfterLong = this.#isLong();
      this.#oldestSince = this.#ledger.now;
    }
    this.#oldest = oldest;
    this.#first ??= { version: fits.at(-1) ?? oldest, at: this.#ledger.now };
  }

  #begin(era: number): void {
    this.#era = era;
    this.#oldest = 0;
    this.#oldestSince = this.#ledger.now;
    this.#isAfterLong = false;
    this.#first = null;
    this.#known.clear();
  }

  #differ(difference: string): void {
    this.#ledger.differ(`${this.#name} ${difference}`);
  }

  #fits(
    rows: readonly Row[],
    version: number,
    writes: readonly Written[],
    given: readonly Given[],
    showing: Showing,
  ): boolean {
    const lists = given.filter((each) => each.version === version);
    const isUnclear = (write: Written): boolean =>
      isIn(write, version) && this.#mayShowTwice(write, version, lists, showing);
    const standings = new Map<Written, Standing>(
      writes.map((write): [Written, Standing] => {
        if (isIn(write, version)) return [write, isUnclear(write) || isLeftIn(write, lists) ? 'may' : 'not'];
        return [write, this.#standingOf(write, showing, version)];
      }),
    );
    const twice = writes.filter((write) => write.action === 'create' && isUnclear(write));
    const tags = new Set(twice.map(({ tag }) => tag));
    const base = this.#ledger.versionsOf(userOf(showing))[version] ?? [];
    return isAllowed(rows, {
      base,
      standings,
      titlesOf: (write) => this.#titlesOf(write, showing),
      isUnclear: (tag) => tags.has(tag),
    });
  }

  /**
   * Known limits. After an attempt whose answer was lost, nobody knows that a list contains the write, until it is repeated and the
   * list was asked for after that. The first list that comes at all is shown, though a write is under way. So is a list that comes
   * before the page has had time to hear of the write. And what a function of the app changes, where no other list came for long.
   */
  #mayShowTwice(write: Written, version: number, lists: readonly Given[], { calmSince }: Showing): boolean {
    const first = this.#first ?? { version: Infinity, at: this.#ledger.now };
    if (version <= first.version && write.calledAt <= first.at) return true;
    if (!this.#known.has(write) && lists.some(({ at }) => at < calmSince + HEARD)) return true;
    const isLong = version > this.#oldest ? this.#isLong() : this.#isAfterLong;
    return (write.isLost || (isLong && isByApp(write))) && isAskedBefore(write, lists);
  }

  #isLong(): boolean {
    return this.#ledger.now - this.#oldestSince >= LEFT_OUT;
  }

  #standingOf(write: Written, showing: Showing, version: number): Standing {
    const standing = this.#standingBySelf(write, showing);
    return standing === 'must' && this.#isOfUnnamed(write, version) ? 'may' : standing;
  }

  #standingBySelf(write: Written, showing: Showing): Standing {
    const isEnding = write.call === 'called' && !showing.isSettled;
    if (!isQueued(write)) {
      if (write.page !== showing.page || write.era !== showing.era || write.call === 'failed') return 'not';
      return isEnding ? 'may' : 'must';
    }
    const isCalm = (since: number | null): boolean => this.#isCalm(since, showing);
    if (write.discard === 'done') return isCalm(write.discardedAt) ? 'not' : 'may';
    if (isAside(write) && write.reviewedAt !== null && !write.isRetried)
      return showing.hasHeardOfReview(write) || isCalm(write.reviewedAt) ? 'not' : 'may';
    // With each retry it waits for a moment, and goes back to review.
    const isResting = !write.isRetried && (write.retriedAt === null || isCalm(write.retriedAt));
    if (isOrphan(write)) return isResting && isCalm(write.maker?.discardedAt ?? null) ? 'not' : 'may';
    if (isAside(write) || write.discard === 'called' || write.call === 'failed' || isEnding) return 'may';
    return this.#known.has(write) ? 'must' : 'may';
  }

  /** True where one tab shows the row as its server names it, and another one what has created it, whose answer was lost. */
  #isOfUnnamed(write: Written, version: number): boolean {
    const maker = write.action === 'create' ? null : this.#ledger.makerOf(write.tag);
    return maker !== null && maker.isLost && !isIn(maker, version);
  }

  /** Until it has heard of an edit, it shows what was before. */
  #titlesOf({ titles, edited }: Written, showing: Showing): readonly string[] {
    return edited && !this.#isCalm(edited.at, showing) ? [...titles, ...edited.titles] : titles;
  }

  /** True where it has had time to hear of what was then. */
  #isCalm(since: number | null, { calmSince }: Showing): boolean {
    return since !== null && Math.max(since, calmSince) < this.#ledger.now - HEARD;
  }

  /** From when on it has to show a write: its own at once, another one when it has had time to hear of it. */
  #learn(writes: readonly Written[], { page, era, calmSince }: Showing): void {
    const long = this.#ledger.now - HEARD;
    for (const write of writes) {
      if (isAside(write) || isOrphan(write)) {
        this.#known.delete(write);
        continue;
      }
      const isOwn = write.page === page && write.era === era && write.resumedAt === null;
      const since = Math.max(write.queuedAt ?? Infinity, write.resumedAt ?? 0, calmSince);
      if (isOwn || (write.version === null && since < long)) this.#known.add(write);
    }
  }

  #wordsFor(
    rows: readonly Row[],
    versions: readonly number[],
    writes: readonly Written[],
    showing: Showing,
  ): string {
    const words = versions.map((version) => {
      const over = writes.flatMap((write) => {
        const standing = isIn(write, version) ? 'not' : this.#standingOf(write, showing, version);
        return standing === 'not' ? [] : `${standing} ${nameOf(write)}`;
      });
      const base = this.#ledger.versionsOf(userOf(showing))[version];
      return `not version ${version}, ${JSON.stringify(base)}, under: ${over.join(', ')}`;
    });
    return [
      'shows what is no list that it was given under the writes that wait:',
      JSON.stringify(rows),
      ...words,
    ].join('\n      ');
  }
}

/** True where one of the lists was asked for before a worker knew that the write is done. */
function isAskedBefore({ answeredAt }: Written, lists: readonly Given[]): boolean {
  return answeredAt === null || lists.some(({ askedAt }) => askedAt < answeredAt);
}

/**
 * A list that was asked for before a write was done does not count as containing it: a row that somebody has removed meanwhile is shown
 * until the next list comes.
 */
function isLeftIn(write: Written, lists: readonly Given[]): boolean {
  return write.action === 'create' && isAskedBefore(write, lists);
}

function userOf({ user, cookie }: Showing): User {
  return user ?? cookie ?? 'anna';
}

function isIn({ version }: Written, of: number): boolean {
  return version !== null && version <= of;
}
