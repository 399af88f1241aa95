import { hasEnded, needsDecision } from '../contracts/outbox-store.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import type { IdbOutbox } from './idb-outbox.ts';
import type { Copied, OutboxCopy } from './outbox-copy.ts';
import { inParts, partsOf } from './parts.ts';
import { doubted } from './taken-back.ts';
import { diskSizeOf, storedSizeOf } from './waiting-write-shape.ts';

/** Bytes that a write is taken to send before that is known: so few are read at a time. */
const GUESSED = 16_384;

/**
 * How an outbox and its copy come to have the same. Each step may be the last one of its life, and is done again by the next. The
 * database may be lost between any two of them: nothing is dropped for what a database does not have that is not whole.
 */
export class Agreement {
  readonly #stored: IdbOutbox;
  readonly #copy: OutboxCopy;
  readonly #restored: () => void;
  /** True where the outbox was not whole when it was last looked at. */
  #isLacking = false;

  /** `restored`: called when anything was taken from the copy, and once the outbox is whole, also by another engine: then it knows what it lacks. */
  constructor(stored: IdbOutbox, copy: OutboxCopy, restored: () => void) {
    this.#stored = stored;
    this.#copy = copy;
    this.#restored = restored;
  }

  /**
   * An outbox that was made anew gets what the copy has. Rejects where some of it is not there yet, or may be elsewhere: then the
   * outbox has the rest, and is not whole. `advanced` is called with each part.
   */
  async takeBack(advanced: () => void): Promise<void> {
    const wasLacking = this.#isLacking;
    this.#isLacking = !(await this.#stored.isWhole());
    if (!this.#isLacking) {
      // Another engine has taken it back.
      if (wasLacking) this.#restored();
      return;
    }
    const [gathering] = await Promise.allSettled([this.#copy.gather()]);
    const isAll = gathering.status === 'fulfilled';
    // What comes once more with each try is no progress.
    await this.#take(isAll ? advanced : () => {}, isAll);
    if (!isAll) throw gathering.reason;
  }

  /** An outbox gets what was carried over into its copy since it was whole. A later life looks again for what cannot be gathered now. */
  async takeMore(): Promise<void> {
    await this.#copy.gather().catch(() => {});
    if ((await this.#copy.unread()) !== null) await this.#take(() => {}, true);
  }

  /** Takes from the copy what waits, and is not `found` as its record is damaged or cannot be read. True where there was any. */
  async mend(found: readonly WaitingWrite[]): Promise<boolean> {
    const there = new Set(found.map(({ entry }) => entry));
    const created = new Set(found.flatMap(({ temporaryId }) => temporaryId ?? []));
    const others = [...(await this.#copy.index()).values()].filter(({ write }) => !there.has(write.entry));
    let isMended = false;
    await inParts(
      this.#stored.clock,
      partsOf(others, ({ write }) => storedSizeOf(write)),
      async (part) => {
        if (await this.#stored.mend(part.map(({ write }) => doubted(write, created)))) isMended = true;
      },
    );
    if (isMended) this.#restored();
    return isMended;
  }

  /** `isAll`: nothing lies elsewhere, so that the outbox is whole then. */
  async #take(advanced: () => void, isAll: boolean): Promise<void> {
    const unread = await this.#copy.unread();
    const begun = await this.#stored.beginTaking();
    const all = [...(await this.#copy.index()).values()].toSorted(
      (one, other) => one.write.place - other.write.place,
    );
    const created = new Set(all.flatMap(({ write }) => write.temporaryId ?? []));
    await inParts(
      this.#stored.clock,
      partsOf(all, ({ write, bytes }) => bytes + storedSizeOf(write)),
      async (part) => {
        const bodies = await this.#copy.bodies(part.map(({ write }) => write));
        await this.#stored.takeBack(
          part.map(({ write }, index) => ({ write: doubted(write, created), body: bodies[index] ?? null })),
          { begun, isMore: unread !== null },
        );
        advanced();
      },
    );
    if (isAll) {
      await this.#stored.makeWhole(await this.#copy.names(), begun);
      this.#isLacking = false;
      if (unread !== null) await this.#copy.noteRead(unread);
    }
    if (isAll || all.length > 0) this.#restored();
  }

  /**
   * The copy may lack the last steps of an earlier life or of another engine, what could not be copied, and all of it what waited before
   * there were copies.
   */
  async make(): Promise<void> {
    const copied = await this.#copy.index();
    const waiting = (await this.#stored.all()).filter((each) => each !== null);
    const there = new Set(waiting.map(({ entry }) => entry));
    await this.dropIfOver([...copied.keys()].filter((entry) => !there.has(entry)));
    const others = waiting.filter((each) => !isSame(copied.get(each.entry), each));
    await inParts(
      this.#stored.clock,
      partsOf(others, () => GUESSED),
      async (some) => {
        const whole = await this.#stored.whole(some);
        await inParts(
          this.#stored.clock,
          partsOf(whole, ({ write, body }) => diskSizeOf(body) + storedSizeOf(write)),
          async (part) => {
            await this.#copy.keep(part);
            // They may have ended before they were copied.
            await this.dropIfOver(part.map(({ write }) => write.entry));
          },
        );
      },
    );
    const used = [...new Set(waiting.flatMap(({ uses }) => uses))];
    if (used.length > 0) await this.#copy.keepNames(await this.#stored.storedNames(used));
  }

  /** Removes from the copy those of these writes that do not wait any more. Rejects while the outbox is not whole. */
  async dropIfOver(entries: readonly string[]): Promise<void> {
    await inParts(
      this.#stored.clock,
      partsOf(entries, () => 0),
      async (part) => {
        const waiting = await this.#stored.waits(part);
        const over = part.filter((entry) => !waiting.has(entry));
        if (over.length === 0) return;
        const ended = (await this.#stored.ended(over)).filter(hasEnded);
        await this.#copy.drop(over, ended);
      },
    );
  }
}

/** That an attempt is under way, or another time of waiting, makes no difference. */
function isSame(copied: Copied | undefined, write: WaitingWrite): boolean {
  if (!copied) return false;
  const { write: before } = copied;
  const members = ['version', 'matches', 'failures', 'floor', 'mayBeDone', 'needsCredentials'] as const;
  return decisionOf(before) === decisionOf(write) && members.every((each) => before[each] === write[each]);
}

function decisionOf(write: WaitingWrite): string | null {
  return needsDecision(write) ? write.state : null;
}
