import type { Invocation } from '../../shared/invocation.ts';
import type { WaitingWrite } from '../contracts/outbox-store.ts';
import { saidVersion, saysVersion } from './changed-version.ts';
import type { KnownNames } from './known-names.ts';
import type { Ledger } from './ledger.ts';
import { rebased } from './write.ts';

/** Methods that leave nothing of what was there. */
const WHOLE: readonly string[] = ['PUT', 'DELETE'];

export interface VersionsPorts {
  /** The URL of an invocation; null where it may not be asked. */
  readonly urlOf: (invocation: Invocation) => string | null;
  /** The ETag of the stored answer that a write is to change; null where none is known. Never rejects. */
  readonly validatorOf: (invocation: Invocation) => Promise<string | null>;
}

/** A write whose version was looked up, or is being, and which is not known yet to who sends it, or is sent past the queue. */
export interface Arriving {
  readonly invocation: Invocation;
  /** What was done meanwhile to what it changes; null for nothing. */
  made: Made | null;
}

/** Which version of what it changes each write goes to, as `If-Match`. */
export class Versions {
  readonly #ports: VersionsPorts;
  readonly #names: KnownNames;
  readonly #arriving: ReadonlySet<Arriving>;
  /** The URLs of what waits: each is looked at as any other is done. */
  readonly #urls = new WeakMap<Invocation, string | null>();
  /** By their places: the writes whose change to another version is on its way, and what has made that. */
  readonly #changing = new Map<number, Made>();

  constructor(ports: VersionsPorts, names: KnownNames, arriving: ReadonlySet<Arriving>) {
    this.#ports = ports;
    this.#names = names;
    this.#arriving = arriving;
  }

  /** True where its version could not be looked up before, since its URL had no name yet. */
  isUnknown(write: WaitingWrite): boolean {
    const isNew = write.attempts === 0 && write.matches === null;
    return isNew && this.#names.invocationOf(write) !== write.invocation;
  }

  /** It changes the version that is stored by now. */
  async lookedUp(write: WaitingWrite): Promise<WaitingWrite> {
    return { ...write, matches: await this.#ports.validatorOf(this.#names.invocationOf(write)) };
  }

  /** What waits to change the same is to change what this has made of it. */
  rebase(ledger: Ledger | null, done: WaitingWrite): Promise<void>[] {
    const made = { url: this.#urlOf(done), done };
    for (const each of this.#arriving) if (this.#ports.urlOf(each.invocation) === made.url) each.made = made;
    if (!ledger) return [];
    return ledger.all
      .filter((each) => this.#isOf(made, each))
      .map((each) => this.#rebase(ledger, each, made));
  }

  /**
   * Somebody has decided about a write, perhaps before it was stored that it changes another version; or it has come, and `since`
   * is what was done to the same on its way.
   */
  async rebaseAgain(ledger: Ledger, { place }: WaitingWrite, since: Made | null = null): Promise<void> {
    const [made, write] = [this.#changing.get(place) ?? since, ledger.get(place)];
    if (made && write && this.#isOf(made, write)) await this.#rebase(ledger, write, made);
  }

  async #rebase(ledger: Ledger, write: WaitingWrite, made: Made): Promise<void> {
    const { place } = write;
    const next = rebased(write, made.done);
    if (next !== write) {
      this.#changing.set(place, made);
      const isKept = await ledger.keep(next);
      if (!isKept) return this.rebaseAgain(ledger, write);
    }
    if (this.#changing.get(place) === made) this.#changing.delete(place);
  }

  /**
   * An earlier one that is to change an older version knows nothing of what others have made of that since, unless all of that is
   * overwritten. Nor does one that was refused: somebody is to decide about that.
   */
  #isOf({ url, done }: Made, write: WaitingWrite): boolean {
    if (write.state === 'conflict') return false;
    const changed = saidVersion(done);
    const isWhole = changed === null && WHOLE.includes(done.invocation.method);
    const isLater = write.place > done.place;
    const isOnTop = isLater || isWhole || write.matches === null || write.matches === changed;
    return isOnTop && saysVersion(write.invocation) && this.#urlOf(write) === url;
  }

  #urlOf(write: WaitingWrite): string | null {
    const invocation = this.#names.invocationOf(write);
    const known = this.#urls.get(invocation);
    if (known !== undefined) return known;
    const url = this.#ports.urlOf(invocation);
    this.#urls.set(invocation, url);
    return url;
  }
}

/** A write that is done, and the URL whose version it has made. */
export interface Made {
  readonly url: string | null;
  readonly done: WaitingWrite;
}
