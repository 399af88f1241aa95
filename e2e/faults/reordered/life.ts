import type { Envelope } from '../../../src/shared/guard.ts';
import type { Answered, Outcome, Revision } from '../../../src/shared/outcome.ts';
import { NO_OUTBOX } from '../../../src/worker/clients/outbox.fixture.ts';
import { Clients } from '../../../src/worker/clients/clients.ts';
import type { Source } from '../../../src/worker/clients/clients.ts';
import { Hub } from '../../../src/worker/delivery/hub.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Milliseconds of virtual time between two polls, as the page is told. */
const INTERVAL = 5_000;

/** What has been asked and not yet told: the revision is settled, when it is told is a matter of chance. */
interface Asked {
  readonly tell: () => void;
  /** The loop that asked; null of a call. A loop has one request at a time. */
  readonly loop: string | null;
}

/** One life of a worker: the library's roster and hub, with a played engine behind them. */
export class Life {
  readonly lock: string;
  readonly #clients: Clients;
  readonly #hub = new Hub(crypto.randomUUID(), () => new Promise(() => {}));
  /** Page and number of every loop. */
  readonly #loops = new Map<string, { readonly page: string; readonly loop: number }>();
  readonly asked: Asked[] = [];
  #over = false;

  constructor(name: string, time: VirtualTime, newest: () => Revision) {
    this.lock = `lock of ${name}`;
    this.#clients = new Clients(
      {
        instance: name,
        lock: Promise.resolve(this.lock),
        engine: {
          call: () => this.#take(newest()),
          part: () => Promise.resolve({ kind: 'not-stored' }),
          adopt: () => Promise.resolve(),
        },
        settled: () => Promise.resolve(),
        outbox: NO_OUTBOX,
        loops: {
          greet: (page, { loops, later }) => {
            this.#keep(page, [...loops.map(({ loop }) => loop), ...later]);
            for (const { loop } of loops) this.#declare(page, loop);
          },
          declare: (page, { loop }) => this.#declare(page, loop),
          stop: (page, loop) => void this.#loops.delete(`${page} ${loop}`),
          stopAll: (page) => this.#keep(page, []),
          find: () => undefined,
          setHidden: () => {},
          wakeUp: () => Promise.resolve(true),
        },
        identity: {
          busy: null,
          present: { name: null, isSignedIn: false, epoch: 0 },
          isPresent: () => true,
          recognizes: () => true,
          heed: () => null,
          sign: () => Promise.reject(new Error('Nobody signs in or out')),
        },
        hub: this.#hub,
        credentials: {
          setOrigins: () => false,
          recognized: () => false,
          setHidden: () => {},
          leave: () => {},
          hear: () => false,
        },
        introduce: async () => {},
        heed: () => {},
        clearCache: () => Promise.resolve(),
        stored: {
          list: () => Promise.resolve({ entries: [], next: null }),
          read: () => Promise.resolve(null),
          remove: () => Promise.resolve(),
        },
        inspect: () => Promise.reject(new Error('Nobody inspects')),
        sleep: (milliseconds) => (this.#over ? new Promise(() => {}) : time.sleep(milliseconds)),
      },
      { now: () => time.now(), heard: () => {}, isPresent: () => Promise.resolve(true), retired: () => {} },
    );
  }

  receive(source: Source, envelope: Envelope): void {
    void this.#clients.receive(source, envelope);
  }

  /** It sleeps and never wakes; what it has posted is still on its way. */
  end(): void {
    this.#over = true;
  }

  /** Loops that have no request out. */
  get idleLoops(): string[] {
    const out = new Set(this.asked.map(({ loop }) => loop));
    return [...this.#loops.keys()].filter((loop) => !out.has(loop));
  }

  /** A loop asks; the answer is of that revision, whenever it will be told. */
  ask(name: string, revision: Revision): void {
    const loop = this.#loops.get(name);
    if (!loop) return;
    const tell = (): void => {
      if (!this.#loops.has(name)) return;
      const outcome = answered(revision);
      this.#hub.tell(loop.page, { kind: 'tick', loop: loop.loop, outcome, nextIn: INTERVAL });
    };
    this.asked.push({ tell, loop: name });
  }

  /** Tells one of the answers that are out, not the oldest first. */
  answer(index: number): void {
    const [asked] = this.asked.splice(index, 1);
    asked?.tell();
  }

  #take(revision: Revision): Promise<Outcome> {
    return new Promise((resolve) => {
      this.asked.push({ tell: () => resolve(answered(revision)), loop: null });
    });
  }

  #declare(page: string, loop: number): void {
    this.#loops.set(`${page} ${loop}`, { page, loop });
  }

  /** The other loops of the page end. */
  #keep(page: string, wanted: readonly number[]): void {
    for (const [name, loop] of this.#loops)
      if (loop.page === page && !wanted.includes(loop.loop)) this.#loops.delete(name);
  }
}

function answered(revision: Revision): Answered {
  return {
    kind: 'answered',
    answer: { status: 200, headers: [], body: { kind: 'value', value: revision } },
    servedFrom: 'network',
    confirmed: false,
    stale: false,
    age: 0,
    changed: true,
    revision,
    request: { method: 'GET', url: 'https://page.example/state', headers: [] },
  };
}
