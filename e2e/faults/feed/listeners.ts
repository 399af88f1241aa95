import { setTimeout as sleep } from 'node:timers/promises';
import type { Heard } from '../../page/feed.ts';
import { sendJson } from '../../server/exchange.ts';
import type { FixtureServer } from '../../server/fixture-server.ts';
import type { Life } from './lives.ts';

/** What one has heard at a time, and when it said so, in milliseconds of the epoch. */
export interface Report {
  readonly numbers: readonly number[];
  readonly at: number;
}

/** One life of a page, as it is journaled. */
export interface Listener {
  readonly tab: string;
  readonly goesOn: boolean;
  readonly name: string;
  /** When it said so, in milliseconds of the epoch. */
  readonly beganAt: number;
  /** In its own order, whatever the order in which they came. */
  readonly reports: Report[];
}

/** The journal of what pages have heard; each says it before the worker knows that it has. */
export class Listeners {
  /** In the order in which they began. */
  readonly all: Listener[] = [];
  /** Every failure and reset that they were told of. */
  readonly troubles: string[] = [];
  /** Names of the worker's lives that they have seen. */
  readonly workers: Set<string> = new Set();
  /** Reports that could only be sent as beacons. */
  late = 0;
  readonly #isAlone: () => boolean;
  #busyUntil = 0;

  /** `isAlone`: whether no page follows but the one that begins. */
  constructor(server: FixtureServer, isAlone: () => boolean) {
    this.#isAlone = isAlone;
    server.on('POST /heard-late', (exchange) => {
      this.late += 1;
      this.#note(JSON.parse(exchange.body.toString()));
      sendJson(exchange, {});
    });
    server.on('POST /heard', async (exchange) => {
      this.#note(JSON.parse(exchange.body.toString()));
      await sleep(this.#busyUntil - Date.now());
      sendJson(exchange, {});
    });
  }

  /** For so many milliseconds a page that says something stands still: what is stored meanwhile it has not taken. */
  keepBusy(milliseconds: number): void {
    this.#busyUntil = Date.now() + milliseconds;
  }

  of(tab: string): Listener[] {
    return this.all.filter((listener) => listener.tab === tab);
  }

  #note({ tab, life, place, numbers, trouble, workers }: Heard): void {
    const listener = this.all.find(({ name }) => name === life) ?? this.#begin(tab, life);
    // One that was cut may have come all the same.
    listener.reports[place] ??= { numbers, at: Date.now() };
    if (trouble !== null) this.troubles.push(trouble);
    for (const worker of workers) this.workers.add(worker);
  }

  #begin(tab: string, name: string): Listener {
    const began: Listener = { tab, name, goesOn: this.#isAlone(), beganAt: Date.now(), reports: [] };
    this.all.push(began);
    return began;
  }
}

/** What a life is judged by. */
export function lifeOf({ tab, goesOn, reports }: Listener): Life {
  return { tab, goesOn, numbers: reports.flatMap(({ numbers }) => numbers) };
}
