import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { givenAmong } from '../contracts/temporary-id.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import { renamedInvocation, renamedLane } from '../contracts/temporary-ids.ts';
import type { Clock } from '../platform/system.ts';

/** Milliseconds until a database that does not answer is asked again. */
const ASKED_AGAIN = 1_000;

export interface KnownNamesPorts {
  readonly clock: Clock;
  readonly store: Pick<OutboxStore, 'names'>;
}

/**
 * What the acting engine knows of the things that writes name by temporary ids. Writes are stored as they were queued, and named
 * as they are sent: a hundred photos that name a new album are not written once more because it has its id.
 */
export class KnownNames {
  readonly #ports: KnownNamesPorts;
  readonly #known = new Map<string, Naming>();
  readonly #given = givenAmong(this.#known);
  /** Lanes as they are named by now: thousands are looked at for each write that is sent. */
  #lanes = new WeakMap<Pick<WaitingWrite, 'lane'>, string>();
  /** The same of what they ask for, without their bodies. */
  #invocations = new WeakMap<Invocation, Invocation>();
  #renewals = 0;
  /** Resolves when the present look is over; null where none is under way. */
  #looking: Promise<void> | null = null;

  constructor(ports: KnownNamesPorts) {
    this.#ports = ports;
  }

  /** Undefined where nothing is known yet. */
  readonly of = (temporaryId: string): Naming | undefined => this.#known.get(temporaryId);

  /** The lane of a write, or of a ticket. */
  readonly laneOf = (write: Pick<WaitingWrite, 'lane'>): string => {
    const known = this.#lanes.get(write);
    if (known !== undefined) return known;
    const lane = renamedLane(write.lane, this.#given);
    this.#lanes.set(write, lane);
    return lane;
  };

  /** What a write asks for, with this body. */
  invocationOf({ invocation, uses }: WaitingWrite, body: RequestBody = invocation.body): Invocation {
    const isBare = body === invocation.body;
    const asked = isBare ? invocation : { ...invocation, body };
    if (uses.length === 0) return asked;
    const named = (isBare && this.#invocations.get(asked)) || renamedInvocation(asked, this.#given);
    if (isBare) this.#invocations.set(asked, named);
    return named;
  }

  /** The write that creates it has ended, which is not stored yet. */
  expect(temporaryId: string): void {
    this.#known.set(temporaryId, { kind: 'awaited' });
  }

  /** A write has ended, was added or has come back: what had no name may have one by now. */
  renew(): void {
    this.#renewals += 1;
    for (const [temporaryId, { kind }] of this.#known) if (kind !== 'given') this.#known.delete(temporaryId);
  }

  /** Resolves when something of these is known, or the signal aborts. Never rejects. */
  async lookUp(temporaryIds: readonly string[], signal: AbortSignal): Promise<void> {
    this.#looking ??= this.#look(temporaryIds, signal).finally(() => (this.#looking = null));
    await this.#looking;
  }

  async #look(temporaryIds: readonly string[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !(await this.#read(temporaryIds)))
      await this.#ports.clock.sleep(ASKED_AGAIN, signal);
  }

  async #read(temporaryIds: readonly string[]): Promise<boolean> {
    const renewals = this.#renewals;
    try {
      const found = await this.#ports.store.names(temporaryIds);
      [this.#lanes, this.#invocations] = [new WeakMap(), new WeakMap()];
      for (const [temporaryId, naming] of found)
        if (naming.kind === 'given' || renewals === this.#renewals) this.#known.set(temporaryId, naming);
      return true;
    } catch {
      return false;
    }
  }
}
