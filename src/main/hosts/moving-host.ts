import { ACTIVATION_DEADLINE } from '../../shared/deadlines.ts';
import type { EarlyEngine } from '../../shared/early.ts';
import { messageOf } from '../../shared/failure.ts';
import { Late, unlessAborted, within } from '../deadline.ts';
import { choose, isSilent, silenceOf } from './choose.ts';
import type { HostChoice, Search, Standing } from './choose.ts';
import type { Endpoint, Host, HostKind, HostWatcher, MovingHost } from './host.ts';
import { Lookout } from './lookout.ts';
import type { Sight } from './lookout.ts';

/** The service worker as a host; a page can also do without it. */
export interface WorkerHost extends Host {
  /** True where this page may have a service worker at all. */
  readonly isPossible: boolean;
  /** The standing of the worker that got the last message. */
  readonly standing: Standing;
  /** Resolves once an active worker is found, or the first one is being registered. */
  readonly begun: Promise<void>;
  /** True where there is no worker yet, nor anything stored by an earlier one. */
  isFirstVisit(): Promise<boolean>;
  begin(calm: Promise<void>): void;
  /** Ends the host: it stops listening. */
  close(): void;
}

export interface Hosts {
  readonly 'service-worker': WorkerHost;
  readonly page: Host;
}

/**
 * Chooses the host from the app's choice and what the platform offers. With `auto` the page runs the engine only until
 * a service worker answers: the lookout searches for one, and the engine moves there.
 */
export class ChosenHost implements MovingHost {
  readonly #choice: HostChoice;
  readonly #hosts: Hosts;
  readonly #watchers = new Set<HostWatcher>();
  readonly #lookout: Lookout;
  readonly #makeEarly: (() => EarlyEngine) | null;
  #kind: HostKind | null;
  #reason: string | null;
  /** True once the current worker has answered. A silent worker then counts as busy, not as absent. */
  #hasAnswered = false;
  #silence = 0;
  /** Aborts when the page no longer needs its own engine. */
  #stay = new AbortController();

  /**
   * `greet` greets the engine behind an endpoint, to find out whether it answers. `makeEarly` makes the engine for a first
   * visit; null if the page is to wait for its worker.
   */
  constructor(
    choice: HostChoice,
    hosts: Hosts,
    greet: (endpoint: Endpoint) => Promise<Sight>,
    makeEarly: (() => EarlyEngine) | null = null,
  ) {
    this.#makeEarly = makeEarly;
    this.#choice = choice;
    this.#hosts = hosts;
    this.#kind = choose(choice, 'under way');
    this.#reason = choice === 'page' ? CHOSEN : null;
    const worker = hosts['service-worker'];
    this.#lookout = new Lookout({
      ready: () => worker.ready(),
      greet: () => greet(worker.endpoint),
      found: () => this.#move(),
    });
    worker.watch({ waiting: () => this.#lookout.hurry(), replaced: () => this.#forget() });
    hosts.page.watch({ lockStolen: () => this.#lookout.hurry() });
  }

  get kind(): HostKind | null {
    return this.#kind;
  }

  get reason(): string | null {
    return this.#reason;
  }

  get endpoint(): Endpoint {
    if (!this.#kind) throw new Error('Where the engine runs is not decided yet');
    return this.#hosts[this.#kind].endpoint;
  }

  async ready(): Promise<void> {
    if (this.#kind !== 'page') await this.#search();
    // The engine's script may load for a long time. A move to a service worker ends the wait.
    if (this.#kind === 'page') await unlessAborted(this.#stay.signal, this.#hosts.page.ready());
  }

  early(): Promise<EarlyEngine | null> | null {
    const worker = this.#hosts['service-worker'];
    const make = this.#makeEarly;
    if (!make || this.#choice === 'page' || !worker.isPossible) return null;
    // A page that a worker serves is no first visit.
    if (navigator.serviceWorker.controller) return null;
    return worker.isFirstVisit().then((isFirst) => (isFirst ? make() : null));
  }

  begin(calm: Promise<void>): void {
    this.#hosts['service-worker'].begin(calm);
  }

  greeted(answered: boolean): void {
    this.#hasAnswered ||= answered;
    if (answered) this.#silence = 0;
    if (this.#kind === 'service-worker' && !this.#hasAnswered) {
      this.#silence += silenceOf(this.#hosts['service-worker'].standing);
    }
  }

  get waiting(): boolean {
    return this.#kind !== 'page' && this.#hosts['service-worker'].waiting;
  }

  watch(watcher: HostWatcher): () => void {
    const stop = this.#hosts['service-worker'].watch(watcher);
    this.#watchers.add(watcher);
    return () => {
      stop();
      this.#watchers.delete(watcher);
    };
  }

  close(): void {
    this.#lookout.stop();
    this.#hosts['service-worker'].close();
  }

  skipWaiting(): Promise<void> {
    return this.#hosts['service-worker'].skipWaiting();
  }

  /** @throws where the app insists on a service worker and none can be had for now. */
  async #search(): Promise<void> {
    const worker = this.#hosts['service-worker'];
    const silent = isSilent(this.#silence);
    if (silent) this.#silence = 0;
    if (this.#choice === 'service-worker') {
      if (silent) throw new Error(SILENT);
      return worker.ready();
    }
    const { search, reason } = silent ? FOUND_SILENT : await searched(worker);
    this.#decide(choose(this.#choice, search), reason);
    if (this.#kind === 'page' && worker.isPossible) this.#lookout.start(search === 'late' ? 0 : undefined);
  }

  /** A service worker answers, while the page ran the engine itself. */
  #move(): void {
    this.#hasAnswered = true;
    this.#silence = 0;
    this.#decide('service-worker', null);
    for (const watcher of this.#watchers) watcher.moved?.();
    this.#stay.abort();
    this.#stay = new AbortController();
  }

  #forget(): void {
    this.#hasAnswered = false;
    // A worker that unregisters itself at every start never gets to answer: each replacement counts too.
    this.#silence += silenceOf('changing');
    this.#lookout.hurry();
  }

  #decide(kind: HostKind | null, reason: string | null): void {
    if (kind === this.#kind && reason === this.#reason) return;
    this.#kind = kind;
    this.#reason = reason;
    for (const watcher of this.#watchers) watcher.decided?.();
  }
}

interface Found {
  readonly search: Search;
  /** Why the worker is not active, or not accepted; null where it is both. */
  readonly reason: string | null;
}

async function searched(worker: WorkerHost): Promise<Found> {
  try {
    const ready = worker.ready();
    // The wait for the page's first calls is not the worker's; but the browser may never say which workers it has.
    await within(2 * ACTIVATION_DEADLINE, SEARCH, Promise.race([worker.begun, ready]));
    await within(ACTIVATION_DEADLINE, SEARCH, ready);
    return { search: 'active', reason: null };
  } catch (error) {
    if (error instanceof Late) return { search: 'late', reason: LATE };
    return { search: 'refused', reason: messageOf(error) };
  }
}

const SEARCH = 'The search for a service worker';
const CHOSEN = "The app has chosen it by `host: 'page'`";
const LATE = `The service worker was not active within ${ACTIVATION_DEADLINE} ms; it takes over when it is`;
const SILENT =
  "the service worker is active but does not answer; does its script call install(self) of 'offstage/worker'?";
const FOUND_SILENT: Found = { search: 'silent', reason: SILENT };
