import { answered } from '../contracts/outcome.fixture.ts';
import type { FeedEntry, LoopState } from '../contracts/loop-store.ts';

/** The record of a healthy loop that was just answered; `differing` overrides. */
export function loop(key: string, differing: Partial<LoopState> = {}): LoopState {
  return {
    key,
    failures: 0,
    notBefore: 0,
    failure: null,
    cursor: null,
    log: 'log 1',
    last: 0,
    answeredAt: Date.UTC(2026, 0, 1),
    ...differing,
  };
}

/** The entry of that number; its answer names the number. */
export function entry(offset: number, size = 10): FeedEntry {
  const body = { kind: 'value', value: `answer ${offset}` } as const;
  return { offset, outcome: answered({ answer: { status: 200, headers: [], body } }), size };
}
