import type { Frame, Page } from '@playwright/test';
import type { FailureCode } from 'offstage';
import type { PlannedCall } from '../page/calls.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import type { Told } from './checker.ts';
import type { Random } from './random.ts';
import type { Stage } from './stage.ts';
import { until } from './until.ts';
import type { Way } from './workerless.ts';

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'];
const CALLS_PER_METHOD = 3;

/** Milliseconds: what a call is given, how long news may take to be told, and a request to be let go. */
const DEADLINE = 5_000;
export const LAG = 5_000;
const RELEASE = 2_000;

/** Milliseconds over which the calls are made, and the longest that the server takes for one. */
const SPREAD = 200;
const SLOWEST = 80;

/** What all pages come to. */
export interface Tally {
  readonly told: Told[];
  /** The failure that a call has to end with, by its key; the others have to be answered. */
  readonly wanted: Map<string, FailureCode>;
  /** Milliseconds that each piece of news took; Infinity where it was not told. */
  readonly news: number[];
  hosted: number;
  held: number;
}

/**
 * What e2e/runs-on-both-hosts.spec.ts promises, played in one page for the journal: calls of all methods, a poll and a
 * long-poll, an abort, failures, and an outage of the server and of the network.
 */
export class Contract {
  readonly #stage: Stage;
  readonly #server: FixtureServer;
  readonly #place: Page | Frame;
  readonly #script: string;
  readonly #name: string;
  readonly #tally: Tally;
  #version = 1;

  constructor(stage: Stage, place: Page | Frame, { script, name }: Way, round: number, tally: Tally) {
    this.#stage = stage;
    this.#server = stage.server;
    this.#place = place;
    this.#script = script;
    this.#name = `${round}.${name}`;
    this.#tally = tally;
  }

  async play(random: Random): Promise<void> {
    if ((await connect(this.#place, this.#script)) === 'page') this.#tally.hosted += 1;
    await this.#follow(`/etag/${this.#name}`, 'poll');
    await Promise.all([this.#make(this.#answered(random)), this.#hear(await this.#change())]);
    await this.#make(this.#failing());
    await this.#seeReleased();
    await this.#loseServer();
    await this.#loseNetwork();
    // Only now: after an outage, long-polls come back within half a minute, too late for a short round.
    await this.#follow(`/hold?key=${this.#name}`, 'longPoll');
    await this.#seeAsked();
    const version = await this.#change();
    this.#server.release(this.#name, JSON.stringify({ version }));
    await this.#hear(version);
    await this.#seeAsked();
    await this.#place.evaluate(() => window.loops.LOOPS.forEach((loop) => loop.stop()));
    await this.#seeReleased();
  }

  async #follow(url: string, kind: 'poll' | 'longPoll'): Promise<void> {
    await this.#place.evaluate(([each, loop]) => window.loops.follow(each, loop), [url, kind] as const);
  }

  /** Returns the version that the polled document has from now on. */
  async #change(): Promise<number> {
    await fetch(`${this.#server.url}/etag/${this.#name}`, { method: 'POST' });
    return (this.#version += 1);
  }

  /** Waits until every loop has told that version. */
  async #hear(version: number): Promise<void> {
    const began = performance.now();
    const isHeard = (): Promise<boolean> =>
      this.#place.evaluate(
        (newest) => window.loops.FOLLOWED.every(({ heard }) => heard.at(-1)?.version === newest),
        version,
      );
    const heard = await until('the news', isHeard, LAG).then(
      () => true,
      () => false,
    );
    this.#tally.news.push(heard ? performance.now() - began : Infinity);
  }

  /** A long-poll that does not ask will tell no news. */
  async #seeAsked(): Promise<void> {
    await until('the long-poll asks', () => this.#open().length > 0, LAG).catch(() =>
      this.#tally.news.push(Infinity),
    );
  }

  /** What was aborted or stopped, the server no longer holds. */
  async #seeReleased(): Promise<void> {
    await until('nothing is held', () => this.#open().length === 0, RELEASE).catch(
      () => (this.#tally.held += 1),
    );
  }

  async #make(plan: readonly PlannedCall[]): Promise<void> {
    const told = await this.#place.evaluate(
      ({ calls, script }) =>
        window.calls.makeCalls(calls, window.offstage.connect({ serviceWorker: script })),
      { calls: plan, script: this.#script },
    );
    this.#tally.told.push(...told);
  }

  #answered(random: Random): PlannedCall[] {
    const calls = METHODS.flatMap((method) =>
      Array.from({ length: CALLS_PER_METHOD }, (_, index) => {
        const key = `${this.#name}.${method}.${index}`;
        const url = `/effects?call=${key}&item=${key}&ms=${random.between(0, SLOWEST)}`;
        return { key, method, url, after: random.between(0, SPREAD), deadline: DEADLINE };
      }),
    );
    return [...calls, this.#stored('kept')];
  }

  #failing(): PlannedCall[] {
    const held = { ...this.#failed('aborted', 'GET', `/hold?key=${this.#name}`), abortAfter: 100 };
    const slow = { ...this.#failed('timeout', 'GET', '/slow?ms=2000'), deadline: 200 };
    return [
      this.#failed('http', 'GET', '/status/503'),
      this.#failed('http', 'POST', '/status/409'),
      this.#failed('parse', 'GET', '/json-broken'),
      this.#failed('network', 'POST', '/cut'),
      // A template may name another origin, but no user.
      this.#failed('blocked-url', 'PUT', 'https://me@elsewhere.example/'),
      held,
      slow,
    ];
  }

  async #loseServer(): Promise<void> {
    await this.#server.down();
    await this.#make(this.#cutOff('network'));
    await this.#server.up();
  }

  async #loseNetwork(): Promise<void> {
    await this.#stage.context.setOffline(true);
    await this.#make(this.#cutOff('offline'));
    await this.#stage.context.setOffline(false);
  }

  /** What is stored is served all the same. */
  #cutOff(code: FailureCode): PlannedCall[] {
    const calls = METHODS.map((method) => this.#failed(code, method, `/effects?call=${this.#name}.${code}`));
    return [...calls, this.#stored(code)];
  }

  #stored(when: string): PlannedCall {
    const key = `${this.#name}.stored.${when}`;
    return { key, method: 'GET', url: `/photo/${this.#name}`, after: 0, deadline: DEADLINE };
  }

  #failed(code: FailureCode, method: string, url: string): PlannedCall {
    const key = `${this.#name}.${this.#tally.wanted.size}.${code}`;
    this.#tally.wanted.set(key, code);
    return { key, method, url, after: 0, deadline: DEADLINE };
  }

  /** The requests of this page that the server holds. */
  #open(): readonly unknown[] {
    return this.#server.journal.open('/hold').filter(({ url }) => url === `/hold?key=${this.#name}`);
  }
}

/** Returns where the engine runs. */
function connect(place: Page | Frame, serviceWorker: string): Promise<string | null> {
  return place.evaluate(async (script) => {
    const connection = window.offstage.connect({ serviceWorker: script });
    await connection.ready;
    return connection.host;
  }, serviceWorker);
}
