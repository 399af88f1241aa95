import { SLACK } from './history.ts';
import type { History } from './history.ts';
import type { Asked } from './asked.ts';
import type { Timeline } from './timeline.ts';

/** Milliseconds after which nothing is asked any more for a page that has stopped its loop, closed or left. */
export const GRACE = 1_500;

/** The same for a page that is gone without a word (invariant 13). */
export const GONE_GRACE = 10_500;

/** Milliseconds that a loop waits at least after a failure. */
const LEAST_WAIT = 300;

/** Milliseconds after which a long-poll counts as held: one that fails then spreads from zero on, once. */
const HELD = 1_000;

/** Milliseconds within which a loop asks that is to ask at once: greetings and a Retry-After may come before. */
const PROMPT = 8_000;

/** A page wants a loop, from one instant to another. */
interface Want {
  readonly page: string;
  readonly path: string;
  /** Milliseconds between two requests. */
  readonly period: number;
  readonly from: number;
  /** Whether it still does. */
  isWanted: boolean;
  /** When the last request may begin that is for it. */
  until: number;
}

/** A request that failed, and the least that its loop waits then. */
interface Failed {
  readonly asked: Asked;
  readonly leastWait: number;
}

interface Expected {
  readonly path: string;
  /** When it came to be expected. */
  readonly since: number;
  readonly within: number;
  readonly why: string;
}

/** When loops may ask and when they must: what pages want, held against the requests that the server sees. */
export class LoopRules {
  readonly #timeline: Timeline;
  readonly #history: History;
  readonly #differ: (sentence: string) => void;
  readonly #wants: Want[] = [];
  readonly #open = new Set<Asked>();
  readonly #failed = new Map<string, Failed>();
  readonly #begunAt = new Map<string, number>();
  #expected: Expected[] = [];
  /** When something happened that lets every loop ask at once. */
  #wokenAt = -Infinity;

  constructor(timeline: Timeline, history: History, differ: (sentence: string) => void) {
    this.#timeline = timeline;
    this.#history = history;
    this.#differ = differ;
  }

  /** Milliseconds between two requests of the slowest loop so far: one that failed waits by the period that it had then. */
  get longestPeriod(): number {
    return Math.max(0, ...this.#wants.map(({ period }) => period));
  }

  /** A loop may ask at once from now on, though it has failed: the network is back, or a page declares it. */
  wake(): void {
    this.#wokenAt = this.#timeline.now;
  }

  want(page: string, path: string, period: number): void {
    this.unwant(page, path, GRACE);
    this.#wants.push({ page, path, period, from: this.#timeline.now, isWanted: true, until: Infinity });
    this.wake();
  }

  /** The page does not want that loop any more, or none without a path. */
  unwant(page: string, path: string | null, grace: number): void {
    for (const want of this.#wants) {
      if (want.page !== page || !want.isWanted || (path !== null && path !== want.path)) continue;
      want.isWanted = false;
      want.until = this.#timeline.now + grace;
    }
  }

  /** The page is frozen before it could say which loops it has stopped a moment ago: it says so when it is awake again. */
  hold(page: string): void {
    this.#prolong(page, Infinity);
  }

  /** The page is gone before it could say which loops it has stopped a moment ago: it is found to be gone. */
  lose(page: string): void {
    this.#prolong(page, this.#timeline.now + GONE_GRACE);
  }

  #prolong(page: string, until: number): void {
    for (const want of this.#wants)
      if (want.page === page && !want.isWanted && want.until > this.#timeline.now) want.until = until;
  }

  /** The page is awake, and says what it wants. */
  letGo(page: string): void {
    for (const want of this.#wants)
      if (want.page === page && !want.isWanted && want.until === Infinity)
        want.until = this.#timeline.now + GRACE;
  }

  /** Whether a loop of that period has missed its time, though its last request has not failed. */
  isOverdue(path: string, period: number): boolean {
    const begunAt = this.#begunAt.get(path);
    return begunAt !== undefined && this.#timeline.now - begunAt > period && !this.#failed.has(path);
  }

  /**
   * A loop is to ask at once, spread over half a period, unless something else happens before: that of a hidden page so
   * many milliseconds after its last request at the earliest.
   */
  expect(path: string, period: number, why: string, leastGap = 0): void {
    if (!this.#history.isOnline || [...this.#open].some((asked) => asked.path === path)) return;
    // Its place is stored, and so is what it answers before it is told.
    if (path === 'feed' && this.#history.isDiskInTrouble) return;
    // Pages share a loop: it goes by the period that it had when it failed.
    const periods = this.#wants.filter((want) => want.path === path).map((want) => want.period);
    const longest = Math.max(period, ...periods);
    const { now } = this.#timeline;
    // A worker that could not read that the loop had failed lets it ask at its usual time.
    const usual = this.#history.hasLostAnswers ? longest : longest / 2;
    const wait = Math.max(usual, (this.#begunAt.get(path) ?? now) + leastGap - now);
    this.#expected.push({ path, since: now, within: wait + PROMPT, why });
  }

  /** Something happens that may be a reason for a loop not to ask. */
  excuse(): void {
    this.#expected = [];
  }

  /** Looks at what should have happened by now. */
  look(): void {
    for (const expected of this.#expected)
      if (this.#isLate(expected))
        this.#differ(`no loop has asked for ${expected.path}, though ${expected.why}`);
  }

  begin(asked: Asked): void {
    const { now } = this.#timeline;
    const { path } = asked;
    this.#begunAt.set(path, now);
    this.#expected = this.#expected.filter((each) => each.path !== path || this.#isLate(each));
    if (!this.#wants.some((want) => want.path === path && want.from <= now && now <= want.until))
      this.#differ(`${path} was asked for by a loop, which no page wants`);
    if ([...this.#open].some((other) => other.path === path))
      this.#differ(`${path} was asked for by a loop while it was being asked for`);
    this.#holdAgainstRule(asked);
    this.#open.add(asked);
  }

  end(asked: Asked): void {
    this.#open.delete(asked);
    if (asked.end === 'answered') this.#failed.delete(asked.path);
    if (asked.end === 'failed')
      this.#failed.set(asked.path, { asked, leastWait: this.#leastWaitAfter(asked) });
  }

  /** A page waits for the next worker where the one that there was is on its way out. */
  #isLate({ since, within }: Expected): boolean {
    return this.#timeline.now > since + within + this.#history.hasWaitedForUpdate(since);
  }

  #leastWaitAfter({ path, at, endedAt }: Asked): number {
    const wasHeld = path === 'feed' && endedAt !== null && endedAt - at >= HELD;
    return wasHeld && !this.#failed.has(path) ? 0 : LEAST_WAIT;
  }

  /** Invariant 12. A loop that is declared anew knows of a failure what is stored. */
  #holdAgainstRule({ path, by }: Asked): void {
    const { asked: failed, leastWait = 0 } = this.#failed.get(path) ?? {};
    if (!failed || failed.endedAt === null) return;
    const { now } = this.#timeline;
    // A request that was out when the network came back says nothing of it.
    const isSameLoop = failed.by === by && this.#wokenAt < failed.at;
    const early = failed.endedAt + (failed.retryAfter ?? 0) * 1_000 - now;
    if (failed.retryAfter !== null && early > SLACK && (isSameLoop || !this.#history.hasDiskFailed))
      this.#differ(`${path} was asked for ${Math.round(early)} ms before Retry-After`);
    const waited = now - failed.endedAt;
    if (isSameLoop && waited < leastWait - SLACK)
      this.#differ(`${path} was asked for ${Math.round(waited)} ms after a failure`);
  }
}
