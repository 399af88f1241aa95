import type { Failure } from '../../shared/failure.ts';
import { IDENTITY_CHANGED } from '../../shared/identity.ts';
import type { Identity } from '../../shared/identity.ts';
import type { Command, Reply } from '../../shared/protocol.ts';
import { RestError } from '../error.ts';
import { PageIdentity } from './identity.ts';
import type { CredentialsReply } from '../../shared/credentials.ts';
import type { CredentialsWanted } from '../../shared/delivery.ts';

export type SignCommand = Extract<Command, { readonly kind: 'sign-in' | 'sign-out' }>;

/** Remembers what belongs to one user. */
export interface IdentityFollower {
  /** Another user has come: forgets all that it remembers. */
  empty(): void;
  /** After all have forgotten: what was begun in these eras ends with that failure. */
  endOf(isEnded: (era: number) => boolean, failure: Failure): void;
}

export interface SigningPorts {
  /** The session itself, which ends what no follower has ended. */
  readonly session: IdentityFollower;
  /** Rejects where no worker answers in time. */
  readonly request: (command: Command) => Promise<Reply>;
  /** What has waited may be sent now. */
  readonly opened: () => void;
  /** Another name is signed in, or nobody. */
  readonly identified: () => void;
  /** Another user has come, and everybody knows. */
  readonly turned: () => void;
  /** Calls wait until the app says who is signed in. */
  readonly waits: () => void;
}

/** Signs users in and out, and ends what belongs to one user when another comes. */
export class Signing {
  readonly identity: PageIdentity = new PageIdentity();
  readonly #ports: SigningPorts;
  readonly #followers = new WeakMembers<IdentityFollower>();

  constructor(ports: SigningPorts) {
    this.#ports = ports;
  }

  /** Tells `follower` when another user has come, for as long as anybody else holds it. */
  follow(follower: IdentityFollower): void {
    this.#followers.add(follower);
  }

  /** Signs a user in, null for nobody. Rejects where no worker answers, or it refuses; what was called since then fails. */
  async sign(name: string | null, command: SignCommand): Promise<void> {
    const { identity } = this;
    const asking = identity.ask(name);
    try {
      const reply = await this.#ports.request(command);
      if (reply.kind === 'failed') throw new RestError(reply.failure);
      this.#learn(() => identity.answer(asking, reply.kind === 'identity' ? reply.identity : null));
    } catch (error) {
      identity.answer(asking, null);
      if (asking.isNext) this.#endOf((era) => era === asking.era);
      throw error;
    } finally {
      if (identity.isOpen) this.#ports.opened();
    }
  }

  /** A worker says who is signed in; null where it does not know yet. */
  hear(said: Identity | null): void {
    const wasOpen = this.identity.isOpen;
    this.#learn(() => this.identity.hear(said));
    if (!wasOpen && this.identity.isOpen) this.#ports.opened();
  }

  /** Where another user has come, first everybody forgets, so that no listener finds anything of the one before. */
  #learn(learn: () => boolean): void {
    const { name } = this.identity;
    const isTurned = learn();
    if (isTurned) {
      this.#ports.session.empty();
      for (const follower of this.#followers.all) follower.empty();
      const { era: now } = this.identity;
      try {
        this.#endOf((era) => era < now);
      } finally {
        this.identity.turned();
      }
      if (this.identity.isOpen) this.#ports.opened();
    }
    if (name !== this.identity.name) this.#ports.identified();
    if (isTurned) this.#ports.turned();
    if (this.identity.isWaiting) this.#ports.waits();
  }

  #endOf(isEnded: (era: number) => boolean): void {
    for (const follower of [...this.#followers.all, this.#ports.session])
      follower.endOf(isEnded, IDENTITY_CHANGED);
  }
}

/** Members that are not kept alive by this. Its size follows that of the members that are alive. */
class WeakMembers<Member extends object> {
  #members: WeakRef<Member>[] = [];
  /** So many members are there before those that are gone are looked for. */
  #room = 16;

  add(member: Member): void {
    if (this.#members.length >= this.#room) {
      this.#members = this.#members.filter((each) => each.deref());
      this.#room = Math.max(16, this.#members.length * 2);
    }
    this.#members.push(new WeakRef(member));
  }

  get all(): Member[] {
    return this.#members.flatMap((each) => each.deref() ?? []);
  }
}

export interface ProvisionPorts {
  /** True while the page knows for whom it is: see `PageIdentity.isOpen`. */
  readonly isOpen: () => boolean;
  /** Asks the provider; never rejects. */
  readonly ask: (wanted: CredentialsWanted) => Promise<CredentialsReply>;
  readonly tell: (command: Command) => void;
  /** Tells the engines that the page has left: a call that one of them still has may wait for credentials. */
  readonly tellLeft: (command: Command) => void;
  /** Tells the present worker, and insists: a request waits for it. */
  readonly request: (command: Command) => Promise<unknown>;
}

/** The page's part in credentials: for which origins it has a provider, and the answers to the worker's questions. */
export class Provision {
  readonly #ports: ProvisionPorts;
  #origins: readonly string[] = [];
  /** By origin, the last question that came while the page did not know for whom it is. */
  readonly #waiting = new Map<string, CredentialsWanted>();

  constructor(ports: ProvisionPorts) {
    this.#ports = ports;
  }

  get origins(): readonly string[] {
    return this.#origins;
  }

  set(origins: readonly string[]): void {
    this.#origins = origins;
    this.#ports.tell({ kind: 'provides', origins });
  }

  /**
   * Says at once that the provider is asked: it may take a while, and the worker would ask another page. What the provider gives may be
   * the next user's while the page does not know for whom it is: then the question waits.
   */
  async answer(wanted: CredentialsWanted): Promise<void> {
    const { isOpen, ask, tell, tellLeft, request } = this.#ports;
    const { question, origin } = wanted;
    if (!isOpen()) return void this.#waiting.set(origin, wanted);
    const asking: Command = { kind: 'credentials', question, reply: { kind: 'asking' } };
    tell(asking);
    tellLeft(asking);
    const command: Command = { kind: 'credentials', question, reply: await ask(wanted) };
    tellLeft(command);
    await request(command).catch(() => {});
  }

  /** The page knows for whom it is. A question of a worker that has another user by now has no effect any more. */
  goOn(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const each of waiting) void this.answer(each);
  }
}
