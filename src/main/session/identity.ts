import type { Claim, Identity } from '../../shared/identity.ts';

/**
 * Who is signed in as far as this page knows, and whether its calls may be sent. In a browser that was signed in, they
 * wait after a start for `signIn` or `signOut`; while either is under way, later calls wait for it.
 */
export class PageIdentity {
  #name: string | null = null;
  /** Undefined until a worker has said. */
  #epoch: number | undefined;
  /** `new` until a worker has answered. */
  #standing: 'new' | 'waiting' | 'in' = 'new';
  /** How many calls of `signIn` and `signOut` are under way. */
  #asking = 0;
  #era = 0;
  /** The claim in the last greeting. */
  #greetedAs: Claim | undefined;
  /** True until what was begun for the user before has ended. */
  #isTurning = false;

  get name(): string | null {
    return this.#name;
  }

  /** The epoch that calls and loops are sent with. */
  get epoch(): number | undefined {
    return this.#standing === 'in' ? this.#epoch : undefined;
  }

  /** The epoch of which a worker has told last, also while the app has not said who is signed in. */
  get toldEpoch(): number | undefined {
    return this.#epoch;
  }

  /** What a greeting says; undefined for a page that has nothing of anybody. */
  get claim(): Claim | undefined {
    const { epoch } = this;
    return epoch === undefined ? undefined : { name: this.#name, epoch };
  }

  /** The claim for a greeting that is sent now; `isStrangerTo` goes by it. */
  greet(): Claim | undefined {
    this.#greetedAs = this.claim;
    return this.#greetedAs;
  }

  /**
   * The worker has answered the last greeting with this identity. True where the greeting had another claim than the page has now: the
   * worker takes the page for somebody else's, and tells it nothing until it greets again.
   */
  isStrangerTo({ epoch }: Identity): boolean {
    const { claim } = this;
    if (!this.isOpen || claim?.epoch !== epoch) return false;
    return this.#greetedAs ? this.#greetedAs.epoch !== epoch : claim.name !== null;
  }

  /** Calls and loops of an earlier era were begun for somebody else. */
  get era(): number {
    return this.#era;
  }

  /** True while the app has not said who is signed in, in a browser that was signed in. */
  get isWaiting(): boolean {
    return this.#standing === 'waiting';
  }

  /** True where calls and loops may be sent. */
  get isOpen(): boolean {
    return this.#standing !== 'waiting' && this.#asking === 0 && !this.#isTurning;
  }

  /** The app has called `signIn` or `signOut`. Unless that user is signed in, what it calls from now on waits. */
  ask(name: string | null): Asking {
    const isSame = this.#standing === 'in' && name === this.#name;
    if (!isSame) this.#asking += 1;
    if (this.#standing === 'in' && !isSame) this.#era += 1;
    return { isSame, isNext: this.#standing === 'in' && !isSame, era: this.#era };
  }

  /** That call has ended; `identity` is its result, null where it failed. True where another user has come. */
  answer({ isSame }: Asking, identity: Identity | null): boolean {
    const isChanged = identity !== null && this.#enter(identity);
    if (!isSame) this.#asking -= 1;
    return isChanged;
  }

  /** A worker says who is signed in, null where it does not know yet. True where another user has come. */
  hear(identity: Identity | null): boolean {
    if (!identity) {
      if (this.#standing === 'new') this.#standing = 'in';
      return false;
    }
    const { name, isSignedIn } = identity;
    const isToEnter = this.#standing === 'in' ? name !== null || !isSignedIn : !isSignedIn;
    if (isToEnter) return this.#enter(identity);
    if (this.#standing === 'in' && identity.epoch === this.#epoch) return false;
    const wasIn = this.#standing === 'in';
    [this.#standing, this.#name, this.#epoch] = ['waiting', null, identity.epoch];
    if (wasIn) this.#turn();
    return wasIn;
  }

  #enter({ name, epoch }: Identity): boolean {
    // A worker that knew nothing has taken the page for nobody's.
    const isFirst = this.#epoch === undefined && name === null;
    const isChanged = this.#standing === 'in' && epoch !== this.#epoch && !isFirst;
    this.#standing = 'in';
    this.#epoch = epoch;
    this.#name = name;
    if (isChanged) this.#turn();
    return isChanged;
  }

  /** What was called after `signIn` is for the next user already. */
  #turn(): void {
    if (this.#asking === 0) this.#era += 1;
    this.#isTurning = true;
  }

  /** Everything of the user before has ended. Until then nothing is sent: it would go as the next one's. */
  turned(): void {
    this.#isTurning = false;
  }
}

/** A call of `signIn` or `signOut` that is under way. */
export interface Asking {
  readonly isSame: boolean;
  /** True where what is called meanwhile is for another user than what was called before. */
  readonly isNext: boolean;
  readonly era: number;
}
