import { ChosenHost, type WorkerHost } from '../../../src/main/hosts/moving-host.ts';
import type { Standing } from '../../../src/main/hosts/choose.ts';
import type { HostWatcher, MovingHost } from '../../../src/main/hosts/host.ts';
import type { Source } from '../../../src/shared/engine.ts';
import type { Random } from '../random.ts';
import type { Journal } from './journal.ts';
import type { Owner, Timeline } from './timeline.ts';
import type { Life, Registration } from './worker.ts';

/** What pages live in. */
export interface Surroundings {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly journal: Pick<Journal, 'differ'>;
  readonly registration: Pick<Registration, 'version' | 'waiting' | 'watch' | 'post' | 'skipWaiting'>;
}

/** The page whose messages these are. */
interface Correspondent extends Owner {
  readonly name: string;
  /** In the back/forward cache no message reaches it. */
  readonly isReachable: boolean;
}

/** So many deliveries besides answers may come at once: what 16 messages had that were not acknowledged, and some more. */
const PILE = 40;

/** The way between a page and the worker, whichever run of it. */
export class PageLink {
  readonly #page: Correspondent;
  readonly #around: Surroundings;
  readonly #listeners = new Set<(data: unknown) => boolean>();
  readonly #watchers = new Set<HostWatcher>();
  readonly #stopWatching: () => void;
  /** The version of the worker that it has posted to last; null once the page was told that it is replaced. */
  #posted: number | null = null;
  /** When the last message arrives: none overtakes another. */
  #lastArrival = 0;

  constructor(page: Correspondent, around: Surroundings) {
    this.#page = page;
    this.#around = around;
    this.#stopWatching = around.registration.watch(() => this.#lookAtWorker());
  }

  end(): void {
    this.#stopWatching();
  }

  /** What a connection is made with. A page that would run an engine of its own says that there is no worker. */
  host(): MovingHost {
    const worker = this.#worker();
    return new ChosenHost('service-worker', { 'service-worker': worker, page: worker }, async () => 'silent');
  }

  #worker(): WorkerHost {
    const { registration, timeline } = this.#around;
    const standing = (): Standing => (this.#posted === registration.version ? 'ours' : 'changing');
    return {
      kind: 'service-worker',
      isPossible: true,
      begun: Promise.resolve(),
      isFirstVisit: async () => false,
      begin: () => {},
      get standing() {
        return standing();
      },
      get waiting() {
        return registration.waiting;
      },
      // The browser looks for the registration: what the page says meanwhile, no worker hears.
      ready: () => timeline.sleep(this.#page, 1),
      greeted: () => {},
      close: () => {},
      watch: (watcher) => {
        this.#watchers.add(watcher);
        return () => this.#watchers.delete(watcher);
      },
      endpoint: {
        listen: (receive) => {
          this.#listeners.add(receive);
          return () => this.#listeners.delete(receive);
        },
        post: (message) => {
          this.#posted = registration.version;
          registration.post((life) => this.#sourceFor(life), structuredClone(message));
        },
      },
      skipWaiting: () =>
        new Promise((resolve) => {
          registration.skipWaiting(() => void timeline.schedule(this.#page, 1, resolve));
        }),
    };
  }

  /** Another worker waits, or has become active. */
  #lookAtWorker(): void {
    const { timeline, registration } = this.#around;
    const isReplaced = this.#posted !== null && this.#posted !== registration.version;
    if (isReplaced) this.#posted = null;
    timeline.schedule(this.#page, 2, () => {
      for (const watcher of this.#watchers) {
        watcher.waiting?.();
        if (isReplaced) watcher.replaced?.();
      }
    });
  }

  /** What that run of the worker answers to. */
  #sourceFor(life: Life): Source {
    return {
      id: this.#page.name,
      postMessage: (message, transfer) => {
        const buffers = transfer.filter((each) => each instanceof ArrayBuffer);
        const data: unknown = structuredClone(message, { transfer: buffers });
        if (life.state === 'running' && this.#page.isReachable) this.#receiveLater(data);
      },
    };
  }

  #receiveLater(data: unknown): void {
    const { timeline, random, journal } = this.#around;
    const pile = stepsIn(data);
    if (pile > PILE)
      journal.differ(`${this.#page.name} is told ${pile} steps of its loops and calls at once`);
    const arrival = Math.max(timeline.now + random.between(1, 5), this.#lastArrival);
    this.#lastArrival = arrival;
    timeline.schedule(this.#page, arrival - timeline.now, () => {
      for (const receive of this.#listeners) receive(data);
    });
  }
}

/** How many deliveries a message has that are no answers. */
function stepsIn(data: unknown): number {
  return JSON.stringify(data).split(/"kind":"(?:sent|ticking|progress)"/).length - 1;
}
