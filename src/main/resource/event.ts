import type { Revision } from '../../shared/outcome.ts';
import type { OutboxEntry } from '../outbox/entry.ts';
import type { RestError } from '../error.ts';
import type { Notice, Phase, RestRequest } from './notice.ts';

/**
 * The event that a resource dispatches: `<action>Success`, then `success`; likewise for `error`, `started`, `sent`,
 * `progress` and `reset`. All events of one invocation have the same `id`.
 */
export class RestEvent<Response = unknown> extends Event {
  readonly #notice: Notice<Response>;

  constructor(type: string, notice: Notice<Response>) {
    super(type);
    this.#notice = notice;
  }

  /** The action's name. */
  get action(): string {
    return this.#notice.action;
  }

  /** The invocation's id, as the call returned it. */
  get id(): number {
    return this.#notice.id;
  }

  /**
   * The parsed body: a value for JSON, a string for text, else a Blob. Null for an empty body and before there is one.
   * All listeners share the same object: do not change it. In development builds it is deeply frozen.
   */
  get response(): Response {
    return this.#notice.response;
  }

  /** True where the answer has no body, as with a 204; false for the JSON `null`, whose response is null too. */
  get isEmpty(): boolean {
    return this.#notice.isEmpty;
  }

  /** The request that was sent. */
  get request(): RestRequest {
    return this.#notice.request;
  }

  get phase(): Phase {
    return this.#notice.phase;
  }

  /** The HTTP status; 0 where there is no answer. */
  get status(): number {
    return this.#notice.status;
  }

  /** The answer's headers; empty where there is no answer. */
  get headers(): Headers {
    return this.#notice.headers();
  }

  /** Where the answer comes from; null where there is none. */
  get servedFrom(): 'network' | 'cache' | null {
    return this.#notice.servedFrom;
  }

  /** True where the network failed and this is the answer stored before. */
  get stale(): boolean {
    return this.#notice.stale;
  }

  /** Seconds since the server's answer was received. */
  get age(): number {
    return this.#notice.age;
  }

  /** When it was asked for, in milliseconds of the epoch: it contains all writes that had ended by then. */
  get asOf(): number {
    return this.#notice.asOf;
  }

  /** True where the response differs from the one before it. */
  get changed(): boolean {
    return this.#notice.changed;
  }

  /**
   * True for a stored answer that is told while the server is asked: another event of this invocation follows, a
   * `success` with the same `id`, or an `error`.
   */
  get isPreliminary(): boolean {
    return this.#notice.isPreliminary;
  }

  /** Names this state of the response; null where it is not stored. */
  get revision(): Revision | null {
    return this.#notice.revision;
  }

  /** The write that waits, in `queued` events; null otherwise. */
  get entry(): OutboxEntry | null {
    return this.#notice.entry;
  }

  /** What went wrong, or why a loop starts afresh; null unless the event is an `error` or a `reset`. */
  get error(): RestError | null {
    return this.#notice.error;
  }

  /** Bytes received so far, after content decoding; 0 except in `progress` events. */
  get loaded(): number {
    return this.#notice.progress?.loaded ?? 0;
  }

  /** Bytes in total, in `progress` events; null where the server did not say. */
  get total(): number | null {
    return this.#notice.progress?.total ?? null;
  }

  get lengthComputable(): boolean {
    return this.total !== null;
  }

  getAction(): string {
    return this.action;
  }

  getId(): number {
    return this.id;
  }

  getData(): Response {
    return this.response;
  }

  getRequest(): RestRequest {
    return this.request;
  }

  getPhase(): Phase {
    return this.phase;
  }
}
