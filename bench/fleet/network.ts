import type { Outcome } from '../../src/shared/outcome.ts';
import { answered, failed, refused } from '../../src/worker/contracts/outcome.fixture.ts';
import type { Pace } from './rule.ts';
import type { Blow } from './scenario.ts';
import type { Server } from './server.ts';

/** Milliseconds from a request to its answer when nobody is in line, and to the news that there will be none. */
const ROUND_TRIP = 50;

const ANSWERED = answered();
const NOTHING_NEW = answered({ status: 204 });
const NETWORK = failed('network');
const OFFLINE = failed('offline');
const UNAVAILABLE = refused(503);

/** How a request ends. */
export interface Ending {
  readonly endedAt: number;
  readonly outcome: Outcome;
  /** When the server had the client again, for good or until it has something new; null where it had not. */
  readonly servedAt: number | null;
  /** Whether it came so far as to burden the server, or the place where it would be. */
  readonly arrived: boolean;
}

/** What is between the clients and the server, and the server. It knows beforehand when the blow will come. */
export class Network {
  readonly #server: Server;
  readonly #pace: Pace;
  readonly #blow: Blow;
  readonly #from: number;
  readonly #until: number;
  readonly #struck: number;

  /** The blow comes at `from`; of the clients it strikes those below `struck`. */
  constructor(server: Server, pace: Pace, blow: Blow, from: number, struck: number) {
    this.#server = server;
    this.#pace = pace;
    this.#blow = blow;
    this.#from = from;
    this.#until = from + blow.lasts;
    this.#struck = struck;
  }

  send(client: number, now: number): Ending {
    if (client < this.#struck && now >= this.#from && now < this.#until) return this.#sendInVain(now);
    const ending = this.#ask(now);
    return client < this.#struck && now < this.#from && ending.endedAt > this.#from
      ? this.#breakOff(ending)
      : ending;
  }

  #sendInVain(now: number): Ending {
    return this.#blow.kind === 'offline'
      ? { endedAt: now, outcome: OFFLINE, servedAt: null, arrived: false }
      : { endedAt: now + ROUND_TRIP, outcome: NETWORK, servedAt: null, arrived: true };
  }

  #ask(now: number): Ending {
    const wait = this.#server.accept(now);
    const endedAt = now + ROUND_TRIP + (wait ?? 0);
    if (wait === null) return { endedAt, outcome: UNAVAILABLE, servedAt: null, arrived: true };
    return this.#pace.kind === 'poll'
      ? { endedAt, outcome: ANSWERED, servedAt: endedAt, arrived: true }
      : { endedAt: endedAt + this.#pace.hold, outcome: NOTHING_NEW, servedAt: endedAt, arrived: true };
  }

  #breakOff(ending: Ending): Ending {
    return { ...ending, endedAt: this.#from, outcome: NETWORK, servedAt: null };
  }
}
