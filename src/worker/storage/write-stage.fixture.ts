import { Foreground } from '../platform/giving-way.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { MemoryResponses } from './responses.ts';
import { orderOf, record } from './record.fixture.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import type { Order, Waiting } from './waiting.ts';
import { WriteBehind } from './write-behind.ts';

/** A storage for answers whose transactions wait, and may fail. */
export class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly foreground: Foreground = new Foreground(this.clock);
  readonly place: MemoryResponses = new MemoryResponses();
  /** The keys of each transaction that was begun. */
  readonly batches: string[][] = [];
  readonly lost: string[] = [];
  isOpen = true;
  fails: (batch: readonly Waiting[]) => Error | null = () => null;
  #opened: (() => void)[] = [];
  readonly behind: WriteBehind = new WriteBehind(
    { clock: this.clock, pause: async () => {} },
    async () => ({
      carryOut: async (batch) => {
        this.batches.push(batch.map(({ key }) => key));
        if (!this.isOpen) await new Promise<void>((resolve) => this.#opened.push(resolve));
        const failure = this.fails(batch);
        if (failure) throw failure;
        await this.place.carryOut(batch);
      },
    }),
    () => this.foreground.giveWay(),
  );

  order(stored: StoredResponse, differing: Partial<Order> = {}): Promise<boolean> {
    return this.behind.add(orderOf(stored, { lost: () => this.lost.push(stored.key), ...differing }));
  }

  open(): void {
    this.isOpen = true;
    for (const go of this.#opened.splice(0)) go();
  }
}

export function nth(key: string, number: number, size = 3): StoredResponse {
  return record(key, size, { revision: { lineage: '1-line', number } });
}

export const FULL: Error = new DOMException('full', 'QuotaExceededError');
