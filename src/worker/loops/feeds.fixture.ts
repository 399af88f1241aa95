import type { LogOffset } from '../../shared/delivery.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { cursor, following, said, STATE } from '../feeds/feed.fixture.ts';
import { Lives } from './lives.fixture.ts';

/** A long-poll that follows a feed with a state. */
export const WITH_STATE: LoopDeclaration = following({ cursor: cursor({ catchUp: STATE }) });

/** How a page declares its loop again that was there. */
export function at(position: LogOffset | null): Pick<LoopDeclaration, 'again' | 'position'> {
  return { again: { revision: null, overdueBy: 0 }, position };
}

/** A feed whose server has a new answer every 100 ms, up to the last. */
export class Feeds extends Lives {
  last = 3;

  override reply: Lives['reply'] = (nth) => ({
    after: nth > this.last ? 25_000 : 100,
    outcome: nth > this.last ? said(null, 204) : said({ last: nth }),
  });

  /** Has all pages take what they were told. */
  takeAll(): void {
    for (const { taken } of this.told) taken();
  }

  /** Where a page is, by what it was told last. */
  positionOf(page: string): LogOffset | null {
    const positions = this.told.flatMap(({ page: to, delivery }) => {
      if (to !== page) return [];
      if (delivery.kind === 'joined') return [delivery.position];
      return delivery.kind === 'tick' && delivery.entry ? [delivery.entry] : [];
    });
    return positions.at(-1) ?? null;
  }
}

/** Answers that name those places. */
export function numbers(...all: number[]): unknown[] {
  return all.map((last) => ({ last }));
}
