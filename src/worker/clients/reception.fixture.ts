import type { Inspection } from '../../shared/inspection.ts';
import type { Outcome } from '../../shared/outcome.ts';
import { Hub } from '../delivery/hub.ts';
import { Stage, quietPorts, toldBy } from '../loops/stage.fixture.ts';
import { Loops } from '../loops/loops.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import { Tab } from '../tab.fixture.ts';
import { HeldCredentials } from '../credentials/credentials.ts';
import { NO_OUTBOX } from './outbox.fixture.ts';
import { Clients } from './clients.ts';
import type { Services } from './services.ts';

const INSPECTION: Inspection = {
  instance: 'life 1',
  startedAt: 0,
  now: 0,
  acting: false,
  generation: null,
  pages: 1,
  calls: [],
  loops: [],
  cache: { mode: 'closed', entries: 0, bytes: 0 },
  origins: [],
};

/** Nobody ever signs in. */
const NOBODY: Services['identity'] = {
  busy: null,
  present: { name: null, isSignedIn: false, epoch: 0 },
  isPresent: () => true,
  recognizes: () => true,
  heed: () => null,
  sign: async (name) => ({ name, isSignedIn: name !== null, epoch: name === null ? 0 : 1 }),
};

interface Pending {
  readonly signal: AbortSignal;
  readonly answer: (outcome?: Outcome) => void;
}

/** The clients' room with the real hub and loops beside it, and calls that are answered when told to. */
export class Reception extends Stage {
  readonly pending: Pending[] = [];
  /** The ids of the clients that are still there. */
  readonly present: Set<string> = new Set(['client 1', 'client 2']);
  cacheCleared = 0;
  readonly credentials: HeldCredentials = new HeldCredentials({
    clock: this.clock,
    isOnline: () => true,
    uuid: () => `question ${(this.#questions += 1)}`,
    tell: (page, delivery) => this.#hub.tell(page, delivery),
    isStranger: (page) => this.#hub.isStranger(page),
  });
  /** Which pages were greeted, each time. */
  readonly introduced: string[] = [];
  /** How often a drained worker was left without a successor. */
  lives = 0;
  /** Finds out whether a client is still there. */
  lookUp: (id: string) => Promise<boolean> = async (id) => this.present.has(id);
  /** How every call ends at once; null where each is answered when told to. */
  ready: Outcome | null = null;
  /** Stores what was answered. */
  store: () => void = () => {};
  #questions = 0;
  #settled: Promise<void> = Promise.resolve();
  /** Grants the lock that a greeting waits for. */
  grantLock: (name: string | null) => void = () => {};
  readonly #hub: Hub = new Hub('life 1', (...wait) => this.clock.sleep(...wait));
  readonly clients: Clients = new Clients(this.#services(), {
    now: () => this.clock.now(),
    heard: () => {},
    isPresent: (id) => this.lookUp(id),
    retired: () => void (this.lives += 1),
  });

  /** What is answered from now on is stored with `store`. */
  delayStoring(): void {
    this.#settled = new Promise((resolve) => {
      this.store = resolve;
    });
  }

  tab(client = 'client 1', session = 'session 1'): Tab {
    return new Tab((source, envelope) => this.clients.receive(source, envelope), client, session);
  }

  #services(): Services {
    return {
      instance: 'life 1',
      lock: new Promise((resolve) => {
        this.grantLock = resolve;
      }),
      engine: {
        call: ({ interest, say, signal }) => {
          if (interest.sent) say((to) => ({ kind: 'sent', to, status: 200, headers: [] }));
          return this.#call(signal);
        },
        adopt: async () => {},
        part: async () => ({ kind: 'not-stored' }),
      },
      settled: () => this.#settled,
      outbox: NO_OUTBOX,
      heed: () => {},
      loops: new Loops(
        { clock: this.clock, random: () => this.random },
        {
          invoke: ({ interest, signal }) => this.ask(interest, signal),
          newest: async () => null,
          forget: () => {},
          ...quietPorts(this.clock),
          ...toldBy((page, delivery) => this.#hub.tell(page, delivery)),
          keyOf: ({ invocation }) => invocation.template,
        },
      ),
      identity: NOBODY,
      hub: this.#hub,
      credentials: this.credentials,
      introduce: async (page) => void this.introduced.push(page),
      clearCache: async () => {
        this.cacheCleared += 1;
      },
      stored: {
        list: async () => ({ entries: [], next: null }),
        read: async () => null,
        remove: async () => {},
      },
      inspect: async () => INSPECTION,
      sleep: (milliseconds, signal) => this.clock.sleep(milliseconds, signal),
    };
  }

  #call(signal: AbortSignal): Promise<Outcome> {
    if (this.ready) return Promise.resolve(this.ready);
    return new Promise((resolve) => {
      this.pending.push({ signal, answer: (outcome = answered()) => resolve(outcome) });
      signal.addEventListener('abort', () => resolve(failed('aborted')));
    });
  }
}
