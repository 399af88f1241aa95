import type { User } from '../users.ts';
import { dropPictures, keepPicturesOf } from './kept-pictures.ts';
import { askServer, tellServer } from './server-session.ts';
import { onAccountStored, readAccount, storeAccount } from './stored-account.ts';
import type { StoredAccount } from './stored-account.ts';

export type AccountState =
  /** Not known yet. */
  | { readonly kind: 'asking' }
  | { readonly kind: 'nobody'; readonly note: string | null }
  /** The server is being told. */
  | { readonly kind: 'entering'; readonly user: User }
  /** The server cannot be told: nothing of the user's is asked for until it can. */
  | { readonly kind: 'waiting'; readonly user: User }
  | { readonly kind: 'signed-in'; readonly user: User };

/** Offstage's part: whose answers its worker tells and keeps. */
export interface Identity extends EventTarget {
  /** Null for nobody. */
  readonly identity: string | null;
  signIn(name: string): Promise<void>;
  signOut(): Promise<void>;
}

/** A part of the page that shows one user's things. */
export interface OwnPart {
  /** A user is signed in, and what is asked for is that user's. */
  begin(user: User): void;
  /** Shows nothing any more, and asks for nothing. */
  end(): void;
}

/** Milliseconds until the server is told again. */
const AGAIN = 5_000;

const ENDED = 'Your session has ended. Sign in again.';
const UNHEARD = 'Signed out on this device. The server hears of it when the network is back.';

/**
 * Who is signed in. Three have to agree: this browser, the server's cookie and Offstage's identity. To switch, all tabs
 * and Offstage first let go of the one user, then the cookie changes, then the other user begins. So no request of one is
 * sent with the cookie of the other.
 */
export class Account {
  readonly #connection: Identity;
  readonly #parts: readonly OwnPart[];
  readonly #listeners = new Set<(state: AccountState) => void>();
  #state: AccountState = { kind: 'asking' };
  #timer = 0;

  constructor(connection: Identity, parts: readonly OwnPart[]) {
    this.#connection = connection;
    this.#parts = parts;
  }

  /** Goes on as whoever was signed in. */
  start(): void {
    const follow = (): void => this.#follow();
    onAccountStored(follow);
    this.#connection.addEventListener('identity', follow);
    addEventListener('online', follow);
    addEventListener('pageshow', follow);
    this.#alone(() => this.#arrive());
  }

  /** Calls at once and whenever it changes. */
  subscribe(listener: (state: AccountState) => void): void {
    this.#listeners.add(listener);
    listener(this.#state);
  }

  /** Null for nobody. */
  change(user: User | null): void {
    this.#alone(() => this.#become({ user, agreed: false }));
  }

  /** The server does not know the cookie any more. */
  expire(): void {
    this.#correct(this.#state, null);
  }

  /** Another tab or the network has changed something. */
  #follow(): void {
    const stored = readAccount();
    if (this.#state.kind === 'asking' || !stored) return;
    if (!this.#shows(stored)) this.#leave();
    this.#alone(() => this.#settle(readAccount() ?? stored));
  }

  async #arrive(): Promise<void> {
    // The page's own storage may have been cleared, and the cookie still be there.
    const stored = readAccount() ?? { user: await askServer().catch(() => null), agreed: true };
    await this.#become(stored);
    void this.#verify();
  }

  /** The cookie may have expired, or have been changed by something else than this page. */
  async #verify(): Promise<void> {
    const asked = this.#state;
    const user = await askServer().catch(() => undefined);
    if (user !== undefined) this.#correct(asked, user);
  }

  /** The cookie is that user's. What was found out about an earlier state says nothing of the present one. */
  #correct(asked: AccountState, user: User | null): void {
    this.#alone(async () => {
      if (this.#state !== asked || asked.kind !== 'signed-in') return;
      await this.#become({ user, agreed: true }, user === null ? ENDED : null);
    });
  }

  #become(wanted: StoredAccount, note: string | null = null): Promise<void> {
    storeAccount(wanted);
    return this.#settle(wanted, note);
  }

  /** Makes the page and Offstage agree with what is stored, and the server where it has not been told. */
  async #settle(stored: StoredAccount, note: string | null = null): Promise<void> {
    if (this.#shows(stored)) return;
    const { user } = stored;
    this.#leave();
    // Where one signs in can be seen before the worker has answered for the first time.
    if (user === null) this.#show({ kind: 'nobody', note });
    if (user === null || !stored.agreed) await this.#connection.signOut();
    await dropPictures(user);
    const agreed = stored.agreed || (await this.#tell(user));
    if (user === null) this.#show({ kind: 'nobody', note: agreed ? note : UNHEARD });
    else if (!agreed) this.#show({ kind: 'waiting', user });
    else await this.#begin(user);
  }

  /** True once the server has heard of it; otherwise it is told later. */
  async #tell(user: User | null): Promise<boolean> {
    if (user && this.#state.kind !== 'waiting') this.#show({ kind: 'entering', user });
    clearTimeout(this.#timer);
    try {
      await tellServer(user);
    } catch {
      this.#timer = setTimeout(() => this.#follow(), AGAIN);
      return false;
    }
    storeAccount({ user, agreed: true });
    return true;
  }

  async #begin(user: User): Promise<void> {
    await this.#connection.signIn(user.name);
    await keepPicturesOf(user);
    this.#show({ kind: 'signed-in', user });
    for (const part of this.#parts) part.begin(user);
  }

  /** At once, before anything else is waited for. */
  #leave(): void {
    if (this.#state.kind !== 'signed-in') return;
    for (const part of this.#parts) part.end();
    this.#show({ kind: 'asking' });
  }

  #shows({ user, agreed }: StoredAccount): boolean {
    const { identity } = this.#connection;
    switch (this.#state.kind) {
      case 'signed-in':
        return agreed && this.#state.user === user && identity === user.name;
      case 'nobody':
        return agreed && user === null && identity === null;
      default:
        return false;
    }
  }

  #show(state: AccountState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }

  /** One change at a time, whichever tab makes it. */
  #alone(change: () => Promise<void>): void {
    navigator.locks.request('account', change).catch((error: unknown) => {
      this.#leave();
      this.#show({ kind: 'nobody', note: `Nobody can be signed in: ${String(error)}` });
    });
  }
}
