import type { Invocation } from '../../shared/invocation.ts';
import type { Ticket } from '../../shared/outbox.ts';
import type { Answer, Answered } from '../../shared/outcome.ts';
import { hasEnded } from '../contracts/outbox-store.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { lasting } from '../contracts/root-store.ts';
import type { Place } from '../contracts/root-store.ts';
import { givenIn } from '../contracts/temporary-id.ts';
import type { Clock } from '../platform/system.ts';
import { aborted } from '../platform/waiting.ts';
import type { Drainer } from './drainer.ts';
import { discarded, lean, newWrite } from './write.ts';

// A slow disk may store a write though its call was told that it could not be queued. The call then ends without the outbox, and
// its write has to end like it. So does one that an earlier worker may have queued, whose call was given up.

/** Milliseconds until an end that could not be stored is tried again: doubled each time, up to the longest. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8_000;

/** Makes of such a write what it has become. */
type LateEnd = (write: WaitingWrite) => WaitingWrite;

/** The late ends of one identity that are not stored yet, by the entries of their writes. */
export type UnstoredEnds = Map<string, LateEnd>;

/** The same of all identities, for the life of the worker: a user may sign out before they are stored, and come back. */
export class AllUnstoredEnds {
  readonly #byOwner = new Map<string | null, UnstoredEnds>();

  /** Those of the identity with that place; resolves once that is known. */
  async of(place: Promise<Place>): Promise<UnstoredEnds> {
    const located = await lasting(place);
    if (located.kind === 'memory') return new Map();
    const known: UnstoredEnds = this.#byOwner.get(located.owner) ?? new Map();
    this.#byOwner.set(located.owner, known);
    return known;
  }
}

export interface LateEndsPorts {
  readonly clock: Clock;
  readonly store: Pick<OutboxStore, 'decide' | 'ended' | 'assertWhole'>;
  readonly drainer: Pick<Drainer, 'drop' | 'took'>;
  readonly unstored: Promise<UnstoredEnds>;
  /** The writes that are on their way to the disk. */
  readonly adding: Iterable<Promise<unknown>>;
  /** Aborts when this identity is signed out, or another engine goes on. */
  readonly signal: AbortSignal;
  /** A write has ended like this, and that is on the disk. */
  readonly stored: (write: WaitingWrite) => void;
}

/** The late ends of one identity, and their way to the disk. No method rejects. */
export class LateEnds {
  readonly #ports: LateEndsPorts;

  constructor(ports: LateEndsPorts) {
    this.#ports = ports;
  }

  /** The call has failed, or was aborted: its write is discarded. Resolves once that is stored, or the signal aborts. */
  withdraw(entry: string): Promise<void> {
    const now = this.#ports.clock.now();
    return this.#add(entry, (write) => discarded(write, now));
  }

  /** The call has succeeded: its write is done, and what it has created has its name. Resolves like `withdraw`. */
  succeeded(ticket: Ticket, invocation: Invocation, outcome: Answered): Promise<void> {
    return this.#add(ticket.entry, doneBy(ticket, invocation, outcome, this.#ports.clock.now()));
  }

  async #add(entry: string, end: LateEnd): Promise<void> {
    const { signal, drainer } = this.#ports;
    drainer.drop(entry);
    const remembered = this.#ports.unstored.then((unstored) => {
      unstored.set(entry, end);
      return this.#store(unstored, entry, signal);
    });
    // Where it is not known who is signed in, the disk has nothing yet.
    await Promise.race([remembered, aborted(signal)]);
  }

  /** Stores those that are remembered, until the signal aborts. When this resolves, none of them is sent any more. */
  async goOn(signal: AbortSignal): Promise<void> {
    const unstored: UnstoredEnds = (await Promise.race([this.#ports.unstored, aborted(signal)])) ?? new Map();
    for (const entry of unstored.keys()) {
      this.#ports.drainer.drop(entry);
      void this.#store(unstored, entry, signal);
    }
  }

  async #store(unstored: UnstoredEnds, entry: string, signal: AbortSignal): Promise<void> {
    // The disk knows nothing yet of a write that is on its way.
    await Promise.allSettled(this.#ports.adding);
    for (let pause = FIRST_PAUSE; !signal.aborted; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const end = unstored.get(entry);
      if (!end) return;
      try {
        await this.#tryOnce(entry, end);
        unstored.delete(entry);
      } catch {
        await this.#ports.clock.sleep(pause, signal);
      }
    }
  }

  async #tryOnce(entry: string, end: LateEnd): Promise<void> {
    const { store, drainer, stored } = this.#ports;
    const made = await store.decide(entry, end, null);
    // The try before may have been stored, though nobody has heard so.
    const [known] = made ? [made.after] : await store.ended([entry]);
    // A write that was lost may still come back.
    if (!known) return store.assertWhole();
    if (!hasEnded(known)) return;
    drainer.took(known);
    stored(known);
  }
}

/** Keeps no more of the answer in memory than goes to the disk. `now` is in milliseconds of the epoch. */
function doneBy(ticket: Ticket, invocation: Invocation, outcome: Answered, now: number): LateEnd {
  const { answer, request, endedAt = now } = outcome;
  const kept = lean({ ...newWrite(ticket, invocation, null, now), place: 0, answer }).answer;
  const givenId = ticket.creates ? givenIn(answer, ticket.creates.at) : null;
  const done = { state: 'done', failure: null, url: request.url, endedAt, givenId } as const;
  const own = kept && withOwnBytes(kept);
  return (write) => ({ ...write, ...done, attempts: write.attempts + 1, answer: own });
}

/** The bytes of the call are transferred to its page. */
function withOwnBytes(answer: Answer): Answer {
  const { body } = answer;
  return body.kind === 'bytes' ? { ...answer, body: { ...body, bytes: body.bytes.slice(0) } } : answer;
}
