import type { RestEvent } from '../../../src/main/resource/event.ts';
import { isRecord } from '../../../src/shared/shape.ts';
import { SLACK } from './history.ts';
import type { Journal } from './journal.ts';

type Told = Pick<RestEvent, 'stale'>;

/** What a page hears of its loops: of a state never an older version after a newer, of the feed every entry once. */
export class Hearing {
  /** How often workers have gone on with the feed without this page: it may be told so as often, by one after the other. */
  #behind = 0;
  #resetAt = -Infinity;
  readonly #page: string;
  readonly #journal: Pick<Journal, 'differ' | 'history'>;
  readonly #newest = new Map<string, number>();
  /** When it has heard that. */
  readonly #heardAt = new Map<string, number>();
  readonly #cutOff = new Set<string>();

  constructor(page: string, journal: Pick<Journal, 'differ' | 'history'>) {
    this.#page = page;
    this.#journal = journal;
  }

  /** The newest version of a state that it has heard, or the last entry of the feed; null before the first. */
  newest(path: string): number | null {
    return this.#newest.get(path) ?? null;
  }

  /** What comes next is the first of its loop. */
  begin(path: string): void {
    this.#newest.delete(path);
    this.#cutOff.delete(path);
  }

  /** True while the last news of this loop was that the server cannot be reached. */
  isCutOff(path: string): boolean {
    return this.#cutOff.has(path);
  }

  /** A server that refuses has been reached. */
  fail(path: string, isCutOff: boolean): void {
    if (isCutOff) this.#cutOff.add(path);
    else this.#cutOff.delete(path);
  }

  /** What is stale is stored, and told where the server could not be asked. */
  hear(path: string, response: unknown, { stale }: Told): void {
    this.fail(path, stale);
    if (path !== 'feed') this.#hearState(path, numberIn(response, 'n'), stale);
    else if (response !== null) this.#hearFeed(numberIn(response, 'after'), numberIn(response, 'to'));
  }

  /** A worker has gone on with the feed without this page. It comes back before it hears what the one before said of that. */
  fallBehind(): void {
    this.#behind = Math.min(this.#behind + 1, 2);
  }

  /**
   * The feed has lost its place. A page that hears where a worker had it begin, just as it greets the next one, says that
   * once more, and may hear of one loss twice in an instant.
   */
  reset(now: number): void {
    const isToldAgain = now - this.#resetAt <= SLACK;
    this.#resetAt = now;
    this.begin('feed');
    if (isToldAgain) return;
    if (this.#behind === 0 && !this.#journal.history.isForgetful)
      this.#journal.differ(`${this.#page} was told that the feed has lost its place`);
    this.#behind = Math.max(this.#behind - 1, 0);
  }

  #hearState(path: string, version: number, stale: boolean): void {
    const before = this.newest(path) ?? 0;
    // A worker that ends takes along the answers that the disk did not take: the next one may have older ones.
    const { history } = this.#journal;
    const isLost = stale && (history.hasLostAnswers || history.hasLost(this.#heardAt.get(path) ?? Infinity));
    if (version < before && !isLost)
      this.#journal.differ(`${this.#page} heard version ${version} of ${path} after ${before}`);
    this.#newest.set(path, version);
    if (!stale) this.#heardAt.set(path, history.now);
  }

  #hearFeed(after: number, to: number): void {
    const before = this.newest('feed');
    if (before !== null && after !== before && !(this.#behind > 0 && this.#journal.history.isForgetful))
      this.#journal.differ(`${this.#page} heard entries ${after + 1} to ${to} of the feed after ${before}`);
    this.#newest.set('feed', to);
  }
}

function numberIn(response: unknown, member: 'n' | 'after' | 'to'): number {
  const value = isRecord(response) ? response[member] : null;
  return typeof value === 'number' ? value : Number.NaN;
}
