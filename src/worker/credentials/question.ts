import { PROVIDER_DEADLINE, PROVIDER_SILENCE } from '../../shared/deadlines.ts';
import type { CredentialsReply, CredentialsReason } from '../../shared/credentials.ts';
import { Bell, Deferred } from '../platform/waiting.ts';
import type { Clock } from '../platform/system.ts';
import type { Credentials } from '../contracts/credentials.ts';

/** How a question ends. */
export type Answer = Exclude<CredentialsReply, { readonly kind: 'asking' }>;

export interface QuestionPorts {
  readonly clock: Pick<Clock, 'sleep'>;
  /** The next page to ask; null if there is none that has not been asked. */
  readonly next: (asked: ReadonlySet<string>) => string | null;
  readonly ask: (page: string) => void;
}

/**
 * One question for all requests that need its answer. One page is asked at a time: where two ask at once, a server that
 * rotates refresh tokens takes the second for a thief. The next is asked where one is gone, or does not hear.
 */
export class Question {
  readonly #ports: QuestionPorts;
  readonly #asked = new Set<string>();
  readonly #answered = new Deferred<Answer>();
  readonly #end = new AbortController();
  /** Rings when there is another page to ask, or the page that is asked has left. */
  readonly #changed = new Bell();
  #page: string | null = null;
  /** Aborts when the page says that it asks its provider. */
  #silence = new AbortController();

  constructor(ports: QuestionPorts) {
    this.#ports = ports;
  }

  /** Settles at the latest when the deadline is over; never rejects. */
  run(): Promise<Answer> {
    void this.#expire();
    void this.#askAll();
    return this.#answered.promise;
  }

  /** A page that was asked answers. The first that has an answer counts, whoever was asked since. */
  hear(page: string, reply: CredentialsReply): void {
    if (!this.#asked.has(page)) return;
    if (reply.kind !== 'asking') this.conclude(reply);
    else if (page === this.#page) this.#silence.abort();
  }

  /** The page has left, or has a provider no more. */
  lose(page: string): void {
    this.#asked.delete(page);
    if (page !== this.#page) return;
    this.#page = null;
    this.#changed.ring();
  }

  /** There may be another page to ask. */
  look(): void {
    if (this.#page === null) this.#changed.ring();
  }

  conclude(answer: Answer): void {
    this.#end.abort();
    this.#answered.resolve(answer);
  }

  async #expire(): Promise<void> {
    await this.#ports.clock.sleep(PROVIDER_DEADLINE, this.#end.signal);
    this.conclude({ kind: 'failed', message: `no page gave any within ${PROVIDER_DEADLINE} ms` });
  }

  async #askAll(): Promise<void> {
    const { signal } = this.#end;
    while (!signal.aborted) {
      const page = this.#ports.next(this.#asked);
      if (page !== null) await this.#ask(page);
      else await this.#changed.heard(signal);
    }
  }

  /** Returns when the page has left, or has not heard in time. */
  async #ask(page: string): Promise<void> {
    const { clock, ask } = this.#ports;
    const changed = this.#changed.heard(this.#end.signal);
    this.#page = page;
    this.#asked.add(page);
    this.#silence = new AbortController();
    const { signal } = this.#silence;
    ask(page);
    await Promise.race([changed, clock.sleep(PROVIDER_SILENCE, signal)]);
    if (signal.aborted) await changed;
    this.#page = null;
  }
}

/** Credentials as the worker holds them. Times are milliseconds of the epoch. */
export interface Held extends Credentials {
  readonly givenAt: number;
  /** Null where they do not expire. */
  readonly expiresAt: number | null;
  /** True once a server has answered 401 to them. */
  readonly isRefused: boolean;
}

/** The part of their life after which the provider is asked for the next ones. */
const RENEWAL = 0.8;

/** Why the provider is to be asked before the next request; null if these are good. */
export function reasonToAsk(held: Held | null, now: number): CredentialsReason | null {
  if (!held) return 'first';
  if (held.isRefused) return 'refused';
  const { givenAt, expiresAt } = held;
  if (expiresAt === null) return null;
  return now >= givenAt + RENEWAL * (expiresAt - givenAt) ? 'expired' : null;
}

/** True if these can still be sent, so that no request need fail or wait long while the next ones are asked for. */
export function isUsable({ isRefused, expiresAt }: Held, now: number): boolean {
  return !isRefused && (expiresAt === null || now < expiresAt);
}
