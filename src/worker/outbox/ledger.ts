import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import type { Clock } from '../platform/system.ts';

/** Milliseconds until what could not be stored is stored once more: doubled each time, up to the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8_000;

export interface LedgerPorts {
  readonly clock: Clock;
  readonly store: Pick<OutboxStore, 'change' | 'remove'>;
}

/**
 * The queue as the acting engine knows it, and its way to the disk: what changes while a transaction is out is stored together
 * by the next one. `kept` resolves once that is on the disk; it is tried until it is, or until another engine acts.
 */
export class Ledger {
  readonly #ports: LedgerPorts;
  readonly #writes: Map<number, WaitingWrite>;
  /** Null for one that is to be removed. */
  #changed = new Map<number, WaitingWrite | null>();
  #storing: Promise<void> | null = null;

  constructor(ports: LedgerPorts, writes: readonly WaitingWrite[]) {
    this.#ports = ports;
    this.#writes = new Map(writes.map((each) => [each.place, each]));
  }

  /** In the order of their places. */
  get all(): readonly WaitingWrite[] {
    return [...this.#writes.values()].toSorted((one, other) => one.place - other.place);
  }

  get(place: number): WaitingWrite | null {
    return this.#writes.get(place) ?? null;
  }

  /** It is stored already. */
  add(write: WaitingWrite): void {
    this.#writes.set(write.place, write);
  }

  /** Resolves once it is on the disk. @throws what the store throws where another engine acts. */
  keep(write: WaitingWrite): Promise<void> {
    this.#writes.set(write.place, write);
    return this.#store(write.place, write);
  }

  /** Resolves once nothing of it is on the disk. @throws as above. */
  remove(place: number): Promise<void> {
    this.#writes.delete(place);
    return this.#store(place, null);
  }

  async #store(place: number, write: WaitingWrite | null): Promise<void> {
    this.#changed.set(place, write);
    // A transaction that is out does not have it.
    await this.#storing?.catch(() => {});
    this.#storing ??= this.#carryOut().finally(() => (this.#storing = null));
    await this.#storing;
  }

  async #carryOut(): Promise<void> {
    // What is ordered in the same turn goes along.
    await Promise.resolve();
    const changed = this.#changed;
    this.#changed = new Map();
    const [kept, removed]: [WaitingWrite[], number[]] = [[], []];
    for (const [place, write] of changed) {
      if (write) kept.push(write);
      else removed.push(place);
    }
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        if (kept.length > 0) await this.#ports.store.change(kept, null);
        if (removed.length > 0) await this.#ports.store.remove(removed, null);
        return;
      } catch (error) {
        if (error instanceof Error && error.name === 'StaleGeneration') throw error;
        await this.#ports.clock.sleep(pause);
      }
    }
  }
}
