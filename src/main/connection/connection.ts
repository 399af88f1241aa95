import type { Inspection, OriginStatus } from '../../shared/inspection.ts';
import type { OriginReport } from '../../shared/delivery.ts';
import { inDevelopment } from '../development.ts';
import type { HostKind, MovingHost } from '../hosts/host.ts';
import type { Link } from '../resource/link.ts';
import { Session } from '../session/session.ts';
import type { SessionState } from '../session/states.ts';
import { makeToken } from '../session/probe.ts';
import type { ConnectionOptions } from './options.ts';
import { Update } from './update.ts';

/** `connecting` until the worker answers and again while it is replaced; `unavailable` where there is none. */
export type ConnectionStatus = 'connecting' | 'connected' | 'unavailable' | 'closed';

/** The worker's storage has changed its mode: in `memory` answers do not outlive the worker. */
export class StorageModeEvent extends Event {
  readonly mode: 'indexeddb' | 'memory';
  readonly reason: string;

  constructor(mode: 'indexeddb' | 'memory', reason: string) {
    super('storage');
    this.mode = mode;
    this.reason = reason;
  }
}

/** What the worker keeps of answers. */
export interface ConnectionCache {
  /** Forgets every stored answer; resolves when that is done. */
  clear(): Promise<void>;
}

/**
 * A page's connection to its engine. Events: `status` when `status` has changed, `host` when `host` or `hostReason` has,
 * `update` when `update` has changed, `storage` (a StorageModeEvent) when the engine's storage has changed its mode,
 * `origins` (an OriginEvent) when `origins` has changed.
 */
export class Connection extends EventTarget {
  readonly cache: ConnectionCache;
  readonly #host: MovingHost;
  readonly #link: Link;
  readonly #session: Session;
  readonly #stopFollowing: () => void;
  readonly #stopWatching: () => void;
  readonly #origins = new Origins();
  #update: Update | null = null;
  #status: ConnectionStatus = 'connecting';
  #hasWarned = false;

  constructor(host: MovingHost, settings: ConnectionOptions, nextId: () => number) {
    super();
    this.#host = host;
    this.#session = new Session(host, {
      token: makeToken(),
      now: () => Date.now(),
      released,
      changed: (state) => this.#change(statusOf(state)),
      storage: (mode, reason) => this.dispatchEvent(new StorageModeEvent(mode, reason)),
      origin: (report) => this.#hear(report),
    });
    this.#link = { settings, session: this.#session, nextId };
    this.#stopFollowing = followPage(this.#session);
    this.#stopWatching = host.watch({
      waiting: () => this.#lookForUpdate(),
      decided: () => this.#hearDecision(),
    });
    this.cache = { clear: () => this.#clear() };
    this.#session.connect();
  }

  /** What resources send through. */
  static linkOf(connection: Connection): Link {
    return connection.#link;
  }

  /** Resolves once the worker has answered; rejects with a RestError where there is none to be had. */
  get ready(): Promise<void> {
    return this.#session.ready();
  }

  /**
   * Where the engine runs; null until that is decided. With `host: 'auto'` the page runs it for as long as no service
   * worker answers; it then moves there, with its loops, while calls under way are answered where they are.
   */
  get host(): HostKind | null {
    return this.#host.kind;
  }

  /**
   * Why the engine does not run in a service worker, in words for a developer; null where it does, and while that is not
   * decided.
   */
  get hostReason(): string | null {
    return this.#host.reason;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** A newer version of the worker that waits; null where there is none. Nothing is replaced before it is applied. */
  get update(): Update | null {
    return this.#update;
  }

  /**
   * What is known of each origin, by the outcomes of all requests of all pages rather than by what the device believes.
   * One that is missing has not been asked of late.
   */
  get origins(): ReadonlyMap<string, OriginStatus> {
    return this.#origins.known;
  }

  /** What the worker is doing, as data; rejects where it does not answer within ten seconds. */
  async inspect(): Promise<Inspection> {
    const reply = await this.#session.request({ kind: 'inspect' });
    if (reply.kind === 'inspection') return reply.inspection;
    throw new TypeError('The worker answered something else than an inspection');
  }

  /** Ends the connection: its loops end, its calls fail with `not-connected`. */
  close(): void {
    this.#stopFollowing();
    this.#stopWatching();
    this.#session.close();
    this.#host.close();
  }

  async #clear(): Promise<void> {
    await this.#session.request({ kind: 'clear-cache' });
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

  /** Once: a process has no service workers to be had. */
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
    // At rest: it is there as soon as it is needed.
    case 'idle':
      return 'connected';
    case 'unavailable':
    case 'closed':
      return state;
    default:
      return 'connecting';
  }
}

/** A session hears of its page through this. */
interface PageFollower {
  online(): void;
  leave(): void;
  show(): void;
  setHidden(hidden: boolean): void;
}

/**
 * Tells a session when its page goes, comes back from the back/forward cache or a freeze, and when the network is
 * back. The returned function ends that.
 */
export function followPage(follower: PageFollower): () => void {
  // A process has none of this.
  if (typeof document === 'undefined') return () => {};
  const end = new AbortController();
  const { signal } = end;
  addEventListener('online', () => follower.online(), { signal });
  addEventListener('pagehide', () => follower.leave(), { signal });
  addEventListener('pageshow', (event) => (event.persisted ? follower.show() : undefined), { signal });
  document.addEventListener('visibilitychange', () => follower.setHidden(document.hidden), { signal });
  follower.setHidden(document.hidden);
  // Messages that came while the page was frozen are heard first, so that its greeting says that it has them.
  document.addEventListener('resume', () => setTimeout(() => follower.show()), { signal });
  return () => end.abort();
}

/**
 * Resolves when the named lock is free, that is milliseconds after its holder's death, or when the signal aborts. It
 * asks in `shared` mode and gives back at once: a page in the back/forward cache that holds its turn in an exclusive
 * queue would keep all others waiting.
 */
async function released(lock: string, signal: AbortSignal): Promise<void> {
  try {
    await navigator.locks.request(lock, { mode: 'shared', signal }, () => {});
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The status of an origin has changed. */
export class OriginEvent extends Event {
  readonly origin: string;
  /** Null where nothing is known of it any more: nobody has asked it for an hour. */
  readonly status: OriginStatus | null;

  constructor(origin: string, status: OriginStatus | null) {
    super('origins');
    this.origin = origin;
    this.status = status;
  }
}

/**
 * What the worker has told of origins. It outlives the worker's lives: the next one knows nothing yet, which is no
 * reason to believe anything else.
 */
class Origins {
  #known: ReadonlyMap<string, OriginStatus> = new Map();

  /** A map of its own after every change, so that what has been handed out stays as it was. */
  get known(): ReadonlyMap<string, OriginStatus> {
    return this.#known;
  }

  /** Takes what the worker says; null where that is known already, as after every greeting. */
  take({ origin, status }: OriginReport): OriginEvent | null {
    const now = status === 'unknown' ? null : status;
    if (now === (this.#known.get(origin) ?? null)) return null;
    const others = [...this.#known].filter(([each]) => each !== origin);
    this.#known = new Map(now === null ? others : [...others, [origin, now]]);
    return new OriginEvent(origin, now);
  }
}
