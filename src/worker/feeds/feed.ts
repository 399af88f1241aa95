import type { Failure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { LogOffset } from '../../shared/delivery.ts';
import { Pauses } from '../platform/pauses.ts';
import type { Clock } from '../platform/system.ts';
import { Bell } from '../platform/waiting.ts';
import type { Lookup } from '../contracts/response-store.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { DurableState } from '../scheduling/durable-state.ts';
import { LogReader, StartPositions, after, oldest, Pruning } from './log-reader.ts';
import type { Entry, FollowerProgress } from './log-reader.ts';

/** Answers that may be on their way to a page before it acknowledges the first of them. */
const WINDOW = 32;

/**
 * Milliseconds from a loop's start in which nothing is removed: the pages that followed it before the worker or the
 * browser ended have this long to come back and declare their position.
 */
const GRACE = 15_000;

/** Milliseconds until a log that could not be read is read again, for the first time. */
const READ_AGAIN = 500;

/** The position of a page that came before it is known what is stored. */
interface PendingFollower {
  readonly offset: LogOffset | null;
  isPaused: boolean;
}

export interface FeedPorts {
  readonly clock: Clock;
  readonly state: DurableState;
}

export interface Follower {
  /** The page is told what comes after this position. */
  join(position: LogOffset): void;
  /** `acknowledge` is called when the page has the answer. */
  tell(outcome: Outcome, position: LogOffset, acknowledge: () => void): void;
  /** The next answers for this page are gone, for this reason. */
  gap(failure: Failure): void;
  /** The feed starts afresh for all, for this reason. */
  reset(failure: Failure): void;
}

/**
 * The answers of one feed on their way to the pages that follow it (invariant 7). Each page gets all of them in order,
 * from its own position and at its own pace. Answers that all pages have acknowledged are removed.
 */
export class Feed {
  readonly #ports: FeedPorts;
  readonly #startPositions: StartPositions;
  readonly #progress = new Map<Follower, FollowerProgress>();
  /** Pages that came while it was not known what is stored: none of their offsets counts as lost yet. */
  readonly #waiting = new Map<Follower, PendingFollower>();
  readonly #pruning: Pruning;
  readonly #reader: LogReader;
  /** Rings when an answer has been stored: then the log can be read, too. */
  readonly #stored = new Bell();

  constructor(ports: FeedPorts) {
    this.#ports = ports;
    const graceUntil = ports.clock.now() + GRACE;
    this.#reader = new LogReader(ports);
    this.#startPositions = new StartPositions(ports, graceUntil);
    this.#pruning = new Pruning(ports, graceUntil, () => this.acknowledgedByAll);
  }

  begin(): Promise<void> {
    return this.#startPositions.begin();
  }

  /** A page follows from its offset; null for a new page. A paused page is told nothing until it resumes. */
  follow(follower: Follower, offset: LogOffset | null, isPaused = false): void {
    const { isKnown, isOutdated } = this.#ports.state;
    if (isKnown && !isOutdated) this.#follow(follower, offset, isPaused);
    else this.#waiting.set(follower, { offset, isPaused });
  }

  #follow(follower: Follower, position: LogOffset | null, isPaused: boolean): void {
    const { log, last } = this.#ports.state.record;
    const isLost = position !== null && (position.log !== log || position.offset > last);
    const known = isLost ? oldest(log, last, isPaused) : position && after(position.offset, log, isPaused);
    const progress = known ?? this.#startPositions.next(isPaused);
    this.#progress.set(follower, progress);
    progress.isKnown = position !== null && !isLost;
    if (isLost) follower.gap(lost('its log has been removed'));
    this.#goOnWith(follower, progress);
    this.#pruning.start();
  }

  leave(follower: Follower): void {
    this.#waiting.delete(follower);
    this.#progress.delete(follower);
    if (this.#progress.size === 0) this.#pruning.rest();
    else this.#pruning.start();
  }

  isPaused(follower: Follower): boolean {
    return !!(this.#progress.get(follower) ?? this.#waiting.get(follower))?.isPaused;
  }

  pause(follower: Follower): void {
    const progress = this.#progress.get(follower) ?? this.#waiting.get(follower);
    if (progress) progress.isPaused = true;
  }

  resume(follower: Follower): void {
    const waiting = this.#waiting.get(follower);
    if (waiting) waiting.isPaused = false;
    const progress = this.#progress.get(follower);
    if (!progress) return;
    progress.isPaused = false;
    this.#goOnWith(follower, progress);
  }

  /** An answer has been stored. */
  add(entry: Entry): void {
    this.#reader.note(entry);
    this.#stored.ring();
    for (const [follower, progress] of this.#progress) void this.#tell(follower, progress);
    this.#reader.forgetSent(this.#progress.values());
  }

  /** The log has been given up: offsets start anew. */
  startAfresh(failure: Failure): void {
    this.#goOn((follower) => follower.reset(failure));
  }

  /** All pages are told a state that stands for the answers so far. Another log follows it. */
  catchUp(): void {
    this.#goOn(() => {});
  }

  /** The log may be longer, or another: this engine in an earlier term, or another engine, has added to it. */
  renew(): void {
    this.#goOn((follower) => follower.gap(lost('another engine has started it afresh')));
    if (this.#waiting.size > 0) void this.#admit();
  }

  /** The pages came while the storage could not be read. Now it is known what is stored. */
  async #admit(): Promise<void> {
    await this.begin();
    for (const [follower, { offset, isPaused }] of this.#waiting) {
      this.#waiting.delete(follower);
      this.#follow(follower, offset, isPaused);
    }
  }

  /** Goes on with the present log. Pages that come from another log are told. */
  #goOn(tell: (follower: Follower) => void): void {
    const { log, last } = this.#ports.state.record;
    this.#reader.forget();
    for (const [follower, progress] of this.#progress) {
      if (progress.log !== log) {
        const { sent, acknowledged, isBeginning } = oldest(log, last, progress.isPaused);
        Object.assign(progress, { log, sent, acknowledged, isBeginning, isKnown: false });
        tell(follower);
      }
      this.#goOnWith(follower, progress);
    }
  }

  #goOnWith(follower: Follower, progress: FollowerProgress): void {
    void this.#admitTo(follower, progress);
    void this.#tell(follower, progress);
  }

  /** Tells a page where it begins, as soon as the next worker instance will know what that means. */
  async #admitTo(follower: Follower, progress: FollowerProgress): Promise<void> {
    if (progress.isPaused || progress.isKnown || !(await this.#ports.state.keepLog())) return;
    const { log } = progress;
    const offset = await this.#reader.startOf(progress);
    // While the start cannot be read, the page learns it with its first answer.
    if (offset === null) return;
    if (progress.isPaused || progress.isKnown || progress.log !== log || log !== this.#ports.state.record.log)
      return;
    if (this.#progress.get(follower) !== progress) return;
    progress.isKnown = true;
    follower.join({ log, offset });
  }

  /** Tells a page the answers that it lacks, as fast as it keeps up. */
  async #tell(follower: Follower, progress: FollowerProgress): Promise<void> {
    if (progress.isSending) return;
    progress.isSending = true;
    const pauses = new Pauses(this.#ports.clock, READ_AGAIN);
    while (this.#hasMoreFor(follower, progress)) {
      const { signal } = this.#stored;
      const read = await this.#tellNext(follower, progress);
      if (read.kind === 'unknown') await pauses.after(read.error, signal);
      else pauses.reset();
    }
    progress.isSending = false;
    this.#reader.forgetSent(this.#progress.values());
  }

  /** An answer is lost only if the log was read and does not have it. */
  async #tellNext(follower: Follower, progress: FollowerProgress): Promise<Lookup<unknown>> {
    const { log, last } = this.#ports.state.record;
    const entries = await this.#reader.after(progress, WINDOW - (progress.sent - progress.acknowledged));
    if (progress.log !== log || this.#ports.state.record.log !== log) return entries;
    switch (entries.kind) {
      case 'found':
        for (const entry of entries.value) this.#hand(follower, progress, entry);
        break;
      case 'absent':
        this.#pass(follower, progress, last + 1);
        break;
      case 'unknown':
        break;
      default:
        unreachable(entries);
    }
    return entries;
  }

  #hasMoreFor(follower: Follower, { log, sent, acknowledged, isPaused }: FollowerProgress): boolean {
    const { record } = this.#ports.state;
    if (isPaused || log !== record.log || !this.#progress.has(follower)) return false;
    return sent < record.last && sent - acknowledged < WINDOW;
  }

  #hand(follower: Follower, progress: FollowerProgress, { offset, outcome }: Entry): void {
    // The page has been told of its gap already.
    if (progress.isPaused) return;
    if (offset > progress.sent + 1) this.#pass(follower, progress, offset);
    if (offset !== progress.sent + 1 || progress.isPaused || !this.#progress.has(follower)) return;
    const { log } = progress;
    Object.assign(progress, { sent: offset, isBeginning: false, isKnown: true });
    follower.tell(outcome, { log, offset }, () => this.#acknowledge(follower, progress, { log, offset }));
  }

  /** Entry `next` is the next one for a page: those before it are gone. */
  #pass(follower: Follower, progress: FollowerProgress, next: number): void {
    if (!this.#progress.has(follower)) return;
    const hasLost = !progress.isBeginning;
    Object.assign(progress, { sent: next - 1, acknowledged: next - 1, isBeginning: false, isKnown: false });
    if (hasLost)
      follower.gap(lost(`more than ${LIMITS.feedEntries} answers, or too many bytes of them, came`));
    // A page that only begins here was told that it begins before the entries that are gone.
    void this.#admitTo(follower, progress);
  }

  /** An acknowledgement may come late, for a log that is no more. */
  #acknowledge(follower: Follower, progress: FollowerProgress, { log, offset }: LogOffset): void {
    if (progress.log !== log) return;
    progress.acknowledged = Math.max(progress.acknowledged, offset);
    void this.#tell(follower, progress);
    this.#pruning.start();
  }

  /** The offset of the last entry that all pages have. While no page follows, entries are for the next that does. */
  get acknowledgedByAll(): number {
    // While the log cannot be read, nobody knows the positions of the pages that came since.
    if (this.#waiting.size > 0) return 0;
    const { log } = this.#ports.state.record;
    const offsets = [...this.#progress.values()].map((progress) =>
      progress.log === log ? progress.acknowledged : 0,
    );
    return offsets.length > 0 ? Math.min(...offsets) : 0;
  }
}

function lost(why: string): Failure {
  const message = `Answers of the feed are lost to this page, which was away for too long: ${why}`;
  return { code: 'limit', message, limit: 'feedEntries', value: LIMITS.feedEntries };
}
