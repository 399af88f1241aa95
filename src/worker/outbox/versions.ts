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
  /** The writes to the same URL that were done meanwhile, in the order of their ends. */
  readonly made: Made[];
}

/** Which version of what it changes each write goes to, as `If-Match`. */
export class Versions {
  readonly #ports: VersionsPorts;
  readonly #names: KnownNames;
  readonly #arriving: ReadonlySet<Arriving>;
  /** The URLs of what waits: each is looked at as any other is done. */
  readonly #urls = new WeakMap<Invocation, string | null>();
  /** By their places: the writes whose change to another version is on its way, and what has made that, in that order. */
  readonly #changing = new Map<number, readonly Made[]>();

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
    for (const each of this.#arriving)
      if (this.#ports.urlOf(each.invocation) === made.url) each.made.push(made);
    if (!ledger) return [];
    return ledger.all
      .filter((each) => this.#changing.has(each.place) || this.#isOf(made, each))
      .map((each) => this.#rebase(ledger, each, [...(this.#changing.get(each.place) ?? []), made]));
  }

  /** The same write, changing what these have made, in that order, as far as it is on top of that. */
  rebasedOn(write: WaitingWrite, made: readonly Made[]): WaitingWrite {
    return made.reduce((next, each) => (this.#isOf(each, next) ? rebased(next, each.done) : next), write);
  }

  /**
   * Somebody has decided about a write, perhaps before it was stored that it changes another version; or it has come, and `since`
   * is what was done to the same on its way.
   */
  async rebaseAgain(ledger: Ledger, { place }: WaitingWrite, since: readonly Made[] = []): Promise<void> {
    const write = ledger.get(place);
    if (write) await this.#rebase(ledger, write, [...(this.#changing.get(place) ?? []), ...since]);
  }

  async #rebase(ledger: Ledger, write: WaitingWrite, made: readonly Made[]): Promise<void> {
    const { place } = write;
    const next = this.rebasedOn(write, made);
    if (next === write) return;
    this.#changing.set(place, made);
    const isKept = await ledger.keep(next);
    // Another write was done since: that change includes these.
    if (this.#changing.get(place) !== made) return;
    this.#changing.delete(place);
    if (!isKept) await this.rebaseAgain(ledger, write, made);
  }

  /**
   * True where a write is to change what this one has made. That may include what others have changed, and its page has not seen: not
   * where both change the same version, nor where all that was there is overwritten. A write goes on top of an earlier one of its lane
   * all the same. One that was refused does not: somebody is to decide about that.
   */
  #isOf({ url, done }: Made, write: WaitingWrite): boolean {
    if (write.state === 'conflict' || !saysVersion(write.invocation) || this.#urlOf(write) !== url)
      return false;
    const changed = saidVersion(done);
    const isWhole = changed === null && WHOLE.includes(done.invocation.method);
    if (isWhole || write.matches === null || write.matches === changed) return true;
    // Somebody may have decided about an earlier one of another lane after this one was made.
    return write.place > done.place && this.#names.laneOf(write) === this.#names.laneOf(done);
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
