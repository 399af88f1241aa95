import type { Owner } from './timeline.ts';

/** What a request asked, and what became of it. */
export interface Asked {
  readonly by: Owner;
  readonly method: string;
  /** `state/a`, or `feed`. */
  readonly path: string;
  /** The action that asked, as the worker's own hook says it. */
  readonly action: string;
  /** Names the call of an unsafe method. */
  readonly tag: string | null;
  readonly at: number;
  endedAt: number | null;
  end: 'answered' | 'failed' | 'aborted' | 'cut' | null;
  /** Seconds. */
  retryAfter: number | null;
}

/** How the server, or the way to it, is. */
export type ServerState = 'works' | 'slow' | 'fails' | 'refuses' | 'cut';
