import type { Timeline } from '../model/timeline.ts';
import type { User, WriteAction } from './plan.ts';
import { isAside, isOrphan, isQueued, isWaiting, laneOf } from './written.ts';
import type { Row, Written } from './written.ts';

/** Milliseconds after which a worker that has heard an answer has stored it. */
const STORING = 1_000;

/** A version of a list that a living worker was given. */
export interface Given {
  readonly user: User;
  readonly version: number;
  /** When it was asked for, and when the answer arrived. */
  readonly askedAt: number;
  readonly at: number;
}

/** A call that a page makes. */
export interface Calling {
  readonly action: WriteAction;
  readonly user: User;
  readonly page: object;
  readonly era: number;
  readonly tag: string | null;
  readonly maker: Written | null;
}

/** All writes, all versions of the users' lists, and what was not as it has to be. */
export class Ledger {
  readonly differences: string[] = [];
  readonly writes: Written[] = [];
  readonly given: Given[] = [];
  /** How often all databases were lost. */
  losses = 0;
  /** How often copies began to fail, and until when what waits may not be taken back from them. */
  troubles = 0;
  troubledUntil: number = -Infinity;
  /** How often somebody has signed in or out. */
  signs = 0;
  readonly #timeline: Timeline;
  readonly #versions = new Map<User, Row[][]>();
  /** What a worker has heard, but perhaps not stored. */
  #heard: { readonly write: Written; readonly at: number }[] = [];

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get now(): number {
    return this.#timeline.now;
  }

  /** Seconds since the beginning. */
  get clock(): string {
    return `${((this.now - Date.UTC(2026, 0, 1)) / 1_000).toFixed(3)} s`;
  }

  differ(difference: string): void {
    this.differences.push(`${this.clock}: ${difference}`);
  }

  /** What came of each write. */
  get outcomes(): readonly string[] {
    const lost = Array.from({ length: this.losses }, () => 'databases lost');
    const failed = Array.from({ length: this.troubles }, () => 'copies fail');
    const came = this.writes.flatMap(({ version, discard, wasAside, isLost, maker, call, edited }) => [
      ...(version === null ? [] : ['performed']),
      ...(discard === 'done' ? ['discarded'] : []),
      ...(wasAside ? ['refused'] : []),
      ...(isLost ? ['lost answer'] : []),
      ...(maker ? ['temporary id'] : []),
      ...(edited ? ['edited'] : []),
      ...(call === 'failed' ? ['failed'] : []),
    ]);
    return [...came, ...lost, ...failed];
  }

  versionsOf(user: User): Row[][] {
    const versions = this.#versions.get(user) ?? [[{ id: 1, tag: `first of ${user}`, title: 'one' }]];
    this.#versions.set(user, versions);
    return versions;
  }

  newestOf(user: User): number {
    return this.versionsOf(user).length - 1;
  }

  /** The user's list becomes this; returns its version. */
  change(user: User, rows: Row[]): number {
    return this.versionsOf(user).push(rows) - 1;
  }

  call({ tag, ...calling }: Calling): Written {
    const n = this.writes.length + 1;
    const write: Written = {
      ...calling,
      n,
      tag: tag ?? `row ${n}`,
      calledAt: this.now,
      titles: [`title ${n}`],
      edited: null,
      call: 'called',
      queuedAt: null,
      entry: null,
      version: null,
      givenId: null,
      isLost: false,
      answeredAt: null,
      refusedAt: null,
      resumedAt: null,
      reviewedAt: null,
      wasAside: false,
      losses: this.losses,
      comesLate: false,
      discard: 'none',
      discardedAt: null,
      isRetried: false,
      retriedAt: null,
    };
    this.writes.push(write);
    return write;
  }

  /** The write with that number, as forms have it. */
  find(n: unknown): Written | undefined {
    return typeof n === 'string' ? this.writes[Number(n) - 1] : undefined;
  }

  /** The write that has created that row. */
  makerOf(tag: string): Written | null {
    return this.writes.find((write) => write.action === 'create' && write.tag === tag) ?? null;
  }

  ofEntry(entry: string): Written | undefined {
    return this.writes.find((each) => each.entry === entry);
  }

  sign(): void {
    this.signs += 1;
  }

  /** The write that sends this. */
  ofContent(data: unknown): Written | undefined {
    const hasNumber = typeof data === 'object' && data !== null && 'w' in data;
    return hasNumber ? this.find(data.w) : undefined;
  }

  /** An attempt goes out, with that cookie. */
  send(write: Written, cookie: User | null): void {
    if (cookie !== null && cookie !== write.user)
      this.differ(`${nameOf(write)} of ${write.user} is sent for ${cookie}`);
    if (write.discard === 'done') this.differ(`${nameOf(write)} is sent although it was discarded`);
    const { maker } = write;
    if (maker && maker.version === null)
      this.differ(`${nameOf(write)} is sent before what it names is created`);
    if (isQueued(write)) this.#lookAtOrder(write);
  }

  /** The server looks at an attempt. */
  arrive(write: Written): void {
    // It is not in review, whoever has said so.
    if (isAside(write)) write.resumedAt = this.now;
  }

  /** The server performs a write for the first time under that key. */
  perform(write: Written, title: unknown, version: number): void {
    if (write.version !== null) this.differ(`${nameOf(write)} is performed twice`);
    const isRight = typeof title !== 'string' || write.titles.includes(title);
    if (!isRight) this.differ(`${nameOf(write)} is performed as '${title}'`);
    write.version = version;
  }

  refuse(write: Written): void {
    Object.assign(write, { refusedAt: this.now, resumedAt: null, reviewedAt: null, wasAside: true });
  }

  /** A worker has heard that it is performed. */
  answer(write: Written): void {
    write.answeredAt = this.now;
    this.#heard.push({ write, at: this.now });
  }

  /** A worker ends: it may not have stored what it has heard, so that nobody knows it until it is said again. */
  end(): void {
    for (const { write, at } of this.#heard)
      if (at > this.now - STORING) Object.assign(write, { isLost: true, answeredAt: null });
    this.#heard = [];
  }

  /** In a lane none goes before an earlier one that waits. */
  #lookAtOrder(write: Written): void {
    const before = this.writes.find((each) => isBefore(each, write) && isWaiting(each));
    if (before) this.differ(`${nameOf(write)} is sent before ${nameOf(before)}`);
  }
}

function isBefore(each: Written, write: Written): boolean {
  if (!isQueued(each) || each.user !== write.user || laneOf(each) !== laneOf(write)) return false;
  // What was aside has lost its turn; what has failed, or is being decided, may not be there.
  if (each.n >= write.n || each.call !== 'queued' || each.discard !== 'none') return false;
  if (each.wasAside || each.maker?.wasAside || isOrphan(each) || each.comesLate) return false;
  return each.page === write.page || (each.queuedAt ?? Infinity) < write.calledAt;
}

export function nameOf({ n, action, tag }: Written): string {
  return `write ${n} (${action} of ${tag})`;
}
