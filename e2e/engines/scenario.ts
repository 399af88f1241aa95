import type { JournalEntry } from '../server/journal.ts';

/** What a driver must be able to do for a scenario, beside opening pages. */
export type Ability = 'stop-worker' | 'hard-reload';

/** A promise of sessions or loops, played inside pages of a server and an origin of its own. */
export interface Scenario {
  /** Reads as a sentence. */
  readonly name: string;
  readonly needs: readonly Ability[];
  /** One page life after the other, in the same tab. */
  readonly acts: readonly Act[];
  /** What a second page plays, when an act opens one. */
  readonly guest?: Play;
}

export interface Act {
  /** How the page comes about. */
  readonly enter: 'open' | 'reload' | 'hard-reload';
  readonly play: Play;
}

export type Play = (stage: Stage) => Promise<void>;

/** What a scenario has inside the page beside the library. */
export interface Stage {
  /** Whether the page had a controlling worker when its script began. */
  readonly controlled: boolean;
  /** What the act before, or the page that opened this one, kept. */
  readonly memory: unknown;
  /** Keeps something, which must be JSON, for the next act. */
  keep(memory: unknown): void;
  /** One claim; `detail` is shown where it does not hold. */
  check(claim: string, holds: boolean, detail?: unknown): void;
  /** Claims that two values are the same as JSON. */
  same(claim: string, actual: unknown, expected: unknown): void;
  /** Looks again and again until it holds; throws after 20 seconds. */
  until(what: string, holds: () => boolean | Promise<boolean>): Promise<void>;
  pause(milliseconds: number): Promise<void>;
  /** What the server was asked at a path. */
  journal(path: string): Promise<readonly JournalEntry[]>;
  /** Answers what waits at `/hold?key=`. */
  release(key: string, body: string, status?: number): Promise<void>;
  /** The server cuts every connection and takes no new one. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** Resolves once the worker that runs now is dead: its lock is free. */
  stopWorker(): Promise<void>;
  /** The server has a later release of the worker; resolves once the browser has installed it, which then waits. */
  publish(): Promise<void>;
  /** Opens a page that plays the guest's part, and closes it when that is over; resolves to what the guest kept. */
  invite(): Promise<unknown>;
}

/** What came of a claim. */
export interface Check {
  readonly claim: string;
  readonly holds: boolean;
  readonly detail: string;
}

/** The part that a page asks for when it has loaded. */
export interface Part {
  readonly scenario: string;
  readonly act: number | 'guest';
  readonly memory: unknown;
}

/** What a page reports when it has played its part. */
export interface Report {
  readonly checks: readonly Check[];
  readonly memory: unknown;
}

/** What is told of one scenario in one engine. */
export interface Verdict {
  readonly name: string;
  readonly ok: boolean;
  /** What did not hold, or why the engine is not asked. */
  readonly details: readonly string[];
}
