import type { Inspection, OriginStatus } from '../../shared/inspection.ts';
import type { OriginReport } from '../../shared/delivery.ts';
import { inDevelopment } from '../development.ts';
import type { HostKind, MovingHost } from '../hosts/host.ts';
import { PendingWrites } from '../optimistic/pending-writes.ts';
import { QueryRecords } from '../queries/records.ts';
import { Outbox } from '../outbox/outbox.ts';
import type { OutboxWires } from '../outbox/outbox.ts';
import type { Link } from '../resource/link.ts';
import { assertRules } from '../resource/option-checks.ts';
import { Session } from '../session/session.ts';
import type { SessionPorts } from '../session/session.ts';
import type { SessionState } from '../session/states.ts';
import { makeToken } from '../session/keepalive.ts';
import { ConnectionCache } from './cache.ts';
import { Providers, Origins } from './credentials.ts';
import type { CredentialsOptions, CredentialsProvider } from './credentials.ts';
import { allowedOrigins, assertIdentityName, signOutRules, warnOnce } from './options.ts';
import type { ConnectionOptions, SignOutOptions } from './options.ts';
import { Update } from './update.ts';

/** `connecting` until the worker answers, and again while it is replaced; `unavailable` where there is no worker. */
export type ConnectionStatus = 'connecting' | 'connected' | 'unavailable' | 'closed';

/**
 * Something has become of what is stored: the database was deleted, the browser has no more room for it (both with the
 * mode `indexeddb`), or it cannot be opened. In `memory` mode, answers are lost when the worker ends.
 */
export class StorageModeEvent extends Event {
  readonly mode: 'indexeddb' | 'memory';
  readonly reason: string;

  constructor(mode: 'indexeddb' | 'memory', reason: string) {
    super('storage');
    this.mode = mode;
    this.reason = reason;
  }
}

/**
 * A page's connection to its engine. Events: `status` when `status` has changed, `host` when `host` or `hostReason` has
 * changed, `update` when `update` has changed, `storage` (a StorageModeEvent) when something has become of what is
 * stored, `origins` (an OriginEvent) when `origins` has changed, `identity` when
 * `identity` has changed.
 */
export class Connection extends EventTarget {
  readonly cache: ConnectionCache;
  /** The writes that wait for their server. */
  readonly outbox: Outbox;
  readonly #host: MovingHost;
  readonly #wires: OutboxWires;
  readonly #link: Link;
  readonly #session: Session;
  readonly #stopFollowing: () => void;
  readonly #stopWatching: () => void;
  readonly #origins = new Origins();
  readonly #providers = new Providers((origins) => this.#session.provision.set(origins));
  #update: Update | null = null;
  #status: ConnectionStatus = 'connecting';
  #hasWarned = false;

  constructor(host: MovingHost, settings: ConnectionOptions, nextId: () => number) {
    super();
    this.#host = host;
    const records = new QueryRecords();
    const pending = new PendingWrites(() => Date.now());
    const outbox = new Outbox({ request: (command) => this.#session.request(command), pending });
    this.outbox = outbox;
    this.#wires = Outbox.wiresOf(outbox);
    const wires = this.#wires;
    const ports: SessionPorts = {
      token: makeToken(),
      now: () => Date.now(),
      elapsed: () => performance.now(),
      released,
      changed: (state) => this.#change(statusOf(state)),
      identified: () => this.dispatchEvent(new Event('identity')),
      waits: warnOnce(() => this.#session.signing.identity.isWaiting),
      storage: (mode, reason) => this.dispatchEvent(new StorageModeEvent(mode, reason)),
      origin: (report) => this.#hear(report),
      credentials: (wanted) => this.#providers.ask(wanted),
      outbox: wires,
    };
    this.#session = new Session(host, ports, records);
    this.#link = { settings, session: this.#session, records, outbox: wires, pending, nextId };
    this.#session.signing.follow(wires);
    this.#stopFollowing = followPage(followerOf(this.#session, records));
    this.#stopWatching = host.watch({
      waiting: () => this.#lookForUpdate(),
      decided: () => this.#hearDecision(),
    });
    this.cache = new ConnectionCache((command) => this.#session.request(command));
    this.#session.connect();
  }

  /** Resources send through this link. */
  static linkOf(connection: Connection): Link {
    return connection.#link;
  }

  /** Resolves once the worker has answered; rejects with a RestError where no worker can be had. */
  get ready(): Promise<void> {
    return this.#session.ready();
  }

  /**
   * Where the engine runs; null until that is decided. With `host: 'auto'` the page runs it only while no service
   * worker answers. When one does, the engine moves there with its loops; calls under way are answered where they are.
   */
  get host(): HostKind | null {
    return this.#host.kind;
  }

  /** Why the engine does not run in a service worker, in words; null where it does, and until that is decided. */
  get hostReason(): string | null {
    return this.#host.reason;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** A newer version of the worker that is waiting, null where there is none. It replaces nothing before `apply`. */
  get update(): Update | null {
    return this.#update;
  }

  /**
   * The status of each origin, judged by the outcomes of all requests of all pages, not by the device's own opinion. An
   * origin that is missing has not been asked lately.
   */
  get origins(): ReadonlyMap<string, OriginStatus> {
    return this.#origins.known;
  }

  /**
   * The name of who is signed in; null for nobody, and until `signIn` or `signOut` in a page that has just started. The
   * event `identity` tells of another name, in every tab.
   */
  get identity(): string | null {
    return this.#session.signing.identity.name;
  }

  /**
   * The app has signed in a user, whom it knows by that name. The same name continues; from another one everything ends
   * as after `signOut`. Resolves when nothing of the user before can be read.
   * @throws TypeError where the name is not a text, RangeError where it has not 1 to 256 characters; RestError where no
   * worker answers, and with code `quota` or `storage` where the change cannot be stored: calls since then have failed.
   */
  async signIn(name: string): Promise<void> {
    assertIdentityName(name);
    await this.#session.signing.sign(name, { kind: 'sign-in', name });
  }

  /**
   * The app has signed its user out. Everything under way ends with code `identity-changed`, writes too, which may have
   * been applied; every tab forgets what it had, and what was stored is deleted. Resolves when nothing of it can be read.
   * @throws TypeError where `pendingWrites` is neither `keep` nor `discard`; RestError where no worker answers, and with code
   * `identity-changed` where writes were to be discarded, and somebody else is signed in than the page has heard of; `quota` or `storage`
   * where the change cannot be stored.
   */
  async signOut(options: SignOutOptions = {}): Promise<void> {
    assertRules('signOut', options, signOutRules);
    const { pendingWrites = 'keep' } = options;
    await this.#session.signing.sign(null, { kind: 'sign-out', pendingWrites });
  }

  /** The worker's current state as data; rejects where the worker does not answer within ten seconds. */
  async inspect(): Promise<Inspection> {
    const reply = await this.#session.request({ kind: 'inspect' });
    if (reply.kind === 'inspection') return reply.inspection;
    throw new TypeError('The worker answered something else than an inspection');
  }

  /**
   * Has a provider asked for the headers that servers want to see: once for all tabs, before they expire, and after a
   * 401, whose request is repeated once. They go with calls and every tick of a loop, and are never stored or shown.
   * Returns the function that removes the provider.
   * @throws TypeError where the provider is no function, or an origin is not among those of `connect`.
   */
  credentials(provider: CredentialsProvider, options: CredentialsOptions = {}): () => void {
    return this.#providers.add(provider, allowedOrigins(provider, options, this.#link.settings));
  }

  /** Closes the connection: its loops end, its calls fail with `not-connected`. */
  close(): void {
    this.#stopFollowing();
    this.#stopWatching();
    this.#session.close();
    this.#host.close();
  }

  #hear(report: OriginReport): void {
    const event = this.#origins.take(report);
    if (event) this.dispatchEvent(event);
  }

  #lookForUpdate(): void {
    const { waiting } = this.#host;
    if (waiting === (this.#update !== null)) return;
    this.#update = waiting ? new Update(this.#host, this.#session) : null;
    this.dispatchEvent(new Event('update'));
  }

  #hearDecision(): void {
    if (this.host === 'page') inDevelopment(() => this.#warn());
    this.dispatchEvent(new Event('host'));
    this.#lookForUpdate();
  }

  /** Warns once, and only where there is a document: a process such as Node never has service workers. */
  #warn(): void {
    if (this.#hasWarned || typeof document === 'undefined') return;
    this.#hasWarned = true;
    console.warn(`Offstage runs in the page, not in a service worker: ${this.hostReason}`);
  }

  #change(status: ConnectionStatus): void {
    if (status === this.#status) return;
    this.#status = status;
    this.dispatchEvent(new Event('status'));
  }
}

function statusOf(state: SessionState): ConnectionStatus {
  switch (state) {
    case 'live':
    // The session is at rest; it wakes as soon as it is needed.
    case 'idle':
      return 'connected';
    case 'unavailable':
    case 'closed':
      return state;
    default:
      return 'connecting';
  }
}

interface PageFollower {
  online(): void;
  leave(): void;
  show(): void;
  setHidden(hidden: boolean): void;
}

/** What follows the page: its session, and the queries that ask on such occasions. */
function followerOf(session: Session, records: QueryRecords): PageFollower {
  return {
    online: () => {
      session.presence.online();
      records.wake('online');
    },
    leave: () => session.presence.leave(),
    show: () => session.presence.show(),
    setHidden: (hidden) => {
      session.presence.setHidden(hidden);
      if (!hidden) records.wake('focus');
    },
  };
}

/** Tells a session when its page leaves, returns, is hidden, or is online again; the returned function stops that. */
export function followPage(follower: PageFollower): () => void {
  // A process such as Node has no document.
  if (typeof document === 'undefined') return () => {};
  const end = new AbortController();
  const { signal } = end;
  addEventListener('online', () => follower.online(), { signal });
  addEventListener('pagehide', () => follower.leave(), { signal });
  addEventListener('pageshow', (event) => (event.persisted ? follower.show() : undefined), { signal });
  document.addEventListener('visibilitychange', () => follower.setHidden(document.hidden), { signal });
  follower.setHidden(document.hidden);
  // The page first processes the messages that came while it was frozen, so that its greeting acknowledges them.
  document.addEventListener('resume', () => setTimeout(() => follower.show()), { signal });
  return () => end.abort();
}

/**
 * Resolves when the named lock is free, which is milliseconds after its holder's death, or when the signal aborts. It
 * asks in `shared` mode and releases the lock at once: a page in the back/forward cache that held its turn in an
 * exclusive queue would block all others.
 */
async function released(lock: string, signal: AbortSignal): Promise<void> {
  try {
    await navigator.locks.request(lock, { mode: 'shared', signal }, () => {});
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
