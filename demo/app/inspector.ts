import type { Connection, Inspection, LoopInspection } from 'offstage';
import { countdown } from './amount.ts';

/** What is to be seen, or why nothing is. */
export type Sight =
  | { readonly kind: 'seen'; readonly inspection: Inspection }
  | { readonly kind: 'unseen'; readonly reason: string };

/** Milliseconds from one look to the next: sooner than in a second when a loop is due before. */
const [SOONEST, LATEST] = [250, 1_000];

/** How long a loop is given to have asked when it is due. */
const MOMENT = 30;

/** Asks the worker what it is doing, for as long as somebody looks. */
export class Inspector {
  readonly #connection: Connection;
  readonly #isWatched: () => boolean;
  readonly #listeners = new Set<(sight: Sight) => void>();

  constructor(connection: Connection, isWatched: () => boolean) {
    this.#connection = connection;
    this.#isWatched = isWatched;
  }

  /** Whether anybody can see what it tells. */
  get isWatched(): boolean {
    return document.visibilityState === 'visible' && this.#isWatched();
  }

  subscribe(listener: (sight: Sight) => void): void {
    this.#listeners.add(listener);
  }

  async run(): Promise<never> {
    for (;;) {
      const sight = this.isWatched ? await this.#look() : null;
      if (sight) this.#tell(sight);
      await new Promise((resolve) => {
        setTimeout(resolve, sight?.kind === 'seen' ? pauseAfter(sight.inspection) : LATEST);
      });
    }
  }

  async #look(): Promise<Sight> {
    try {
      return { kind: 'seen', inspection: await this.#connection.inspect() };
    } catch (error) {
      return { kind: 'unseen', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  #tell(sight: Sight): void {
    for (const listener of this.#listeners) listener(sight);
  }
}

/** What a loop is doing, and when it asks next, in words. */
export function momentOf({ kind, state, nextDueAt }: LoopInspection): string {
  switch (state) {
    case 'asking':
      return kind === 'long-poll' ? 'held' : 'asking';
    case 'queued':
      return 'queued';
    case 'resting':
      return 'rests';
    default:
      return nextDueAt === null ? 'rests' : dueIn(nextDueAt);
  }
}

function dueIn(instant: number): string {
  const left = instant - Date.now();
  return left > 0 ? `in ${countdown(left)}` : 'due';
}

function pauseAfter({ loops }: Inspection): number {
  const due = loops.map(({ nextDueAt }) => nextDueAt ?? Infinity);
  const soonest = Math.min(...due) - Date.now() + MOMENT;
  return Math.min(LATEST, Math.max(SOONEST, soonest));
}
