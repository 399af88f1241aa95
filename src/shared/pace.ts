import { unreachable } from './unreachable.ts';

/**
 * When a loop asks, as a page declares it. A new kind of loop begins here: nothing compiles until every place that
 * decides by the kind names it (docs/architecture.md, "To add a kind of loop").
 */
export type Pace =
  | { readonly kind: 'poll'; readonly interval: number; readonly hidden: WhileHidden }
  /** It goes on while its page is hidden. `hidden` says how much the page hears then; missing for 'slow'. */
  | { readonly kind: 'long-poll'; readonly hidden?: HeardWhileHidden };

export type LoopKind = Pace['kind'];

/** How a poll goes on while its page is hidden: at its interval, once a minute at most, or not at all. */
export type WhileHidden = 'continue' | 'slow' | 'pause';

export type HeardWhileHidden = Exclude<WhileHidden, 'pause'>;

/** The traits that decide how page and worker treat a kind of loop. */
export type PaceTraits = {
  /** How the loop goes on asking while its page is hidden. */
  readonly hidden: WhileHidden;
} & (
  | { readonly isHeld: false; /** Milliseconds from one request to the next. */ readonly interval: number }
  /** The server holds each request until it has news, so one is always out. */
  | { readonly isHeld: true; readonly interval: null }
);

export function traitsOf(pace: Pace): PaceTraits {
  switch (pace.kind) {
    case 'poll':
      return { isHeld: false, interval: pace.interval, hidden: pace.hidden };
    case 'long-poll':
      return { isHeld: true, interval: null, hidden: 'continue' };
    default:
      return unreachable(pace);
  }
}

/** A pace without an interval stays as it is. */
export function withInterval(pace: Pace, interval: number): Pace {
  switch (pace.kind) {
    case 'poll':
      return { ...pace, interval };
    case 'long-poll':
      return pace;
    default:
      return unreachable(pace);
  }
}
