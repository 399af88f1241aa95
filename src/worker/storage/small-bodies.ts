import { LIMITS } from '../../shared/limits.ts';
import { isNewer, isSameRevision } from '../../shared/outcome.ts';
import type { Revision } from '../../shared/outcome.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import type { Clock } from '../platform/system.ts';
import { NOTED_AGAIN } from './idb-responses.ts';
import { isSmall, METADATA } from './response-record.ts';

interface Held {
  readonly revision: Revision;
  readonly bytes: ArrayBuffer;
  /** Milliseconds of the epoch: when the database was last asked for it, or given it. */
  readonly at: number;
}

/** The small bodies that were stored or read last: who asks for one of them waits for no transaction. */
export class SmallBodies {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #held = new RecentlyUsed<string, Held>(
    LIMITS.smallBodies,
    ({ bytes }) => bytes.byteLength + METADATA,
  );
  #losses = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Changes when something is lost: what was read before that may be lost as well. */
  get losses(): number {
    return this.#losses;
  }

  /** Null if the bytes of that revision are not held, or the database is to note their use. A copy, since the caller may transfer it to a page. */
  get({ key, revision }: StoredResponse): ArrayBuffer | null {
    const held = this.#held.get(key);
    if (!held || !isSameRevision(held.revision, revision)) return null;
    const age = this.#clock.now() - held.at;
    return age >= 0 && age < NOTED_AGAIN ? held.bytes.slice(0) : null;
  }

  /** Takes the place of what was held of that answer, small or not, unless that is newer. */
  keep(record: StoredResponse, bytes: ArrayBuffer): void {
    const { key, revision } = record;
    const held = this.#held.peek(key);
    if (held && isNewer(held.revision, revision)) return;
    if (isSmall(record)) this.#held.set(key, { revision, bytes: bytes.slice(0), at: this.#clock.now() });
    else this.#held.delete(key);
  }

  /** That revision is not stored, or not any more. */
  lose({ key, revision }: StoredResponse): void {
    const held = this.#held.peek(key);
    if (held && isSameRevision(held.revision, revision)) this.remove(key);
  }

  remove(key: string): void {
    this.#losses += 1;
    this.#held.delete(key);
  }

  clear(): void {
    this.#losses += 1;
    this.#held.clear();
  }
}
