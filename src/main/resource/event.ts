import type { Revision } from '../../shared/outcome.ts';
import type { RestError } from '../error.ts';
import type { Notice, Phase, RestRequest } from './notice.ts';

/**
 * What a resource dispatches: `<action>Success` then `success`, and likewise `error`, `started`, `sent`,
 * `progress` and `reset`. The same invocation's events have the same `id`.
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
   * The parsed body: of JSON a value, of text a string, else a Blob; null for an empty one and before there is one. It
   * is shared by all that listen: do not change it. In development builds it is deeply frozen.
   */
  get response(): Response {
    return this.#notice.response;
  }

  /**
   * True where the answer has no body, as a 204. The response is null then; it is null for the JSON `null` too, which is
   * a body.
   */
  get isEmpty(): boolean {
    return this.#notice.isEmpty;
  }

  /** What was sent. */
  get request(): RestRequest {
    return this.#notice.request;
  }

  get phase(): Phase {
    return this.#notice.phase;
  }

  /** The HTTP status; 0 without an answer. */
  get status(): number {
    return this.#notice.status;
  }

  /** The answer's headers; empty without an answer. */
  get headers(): Headers {
    return this.#notice.headers;
  }

  /** Where the answer comes from; null without one. */
  get servedFrom(): 'network' | 'cache' | null {
    return this.#notice.servedFrom;
  }

  /** Whether the network was asked in vain and this is what was stored before. */
  get stale(): boolean {
    return this.#notice.stale;
  }

  /** Seconds since the answer was received from its server. */
  get age(): number {
    return this.#notice.age;
  }

  /** Whether the response differs from the one stored before it. */
  get changed(): boolean {
    return this.#notice.changed;
  }

  /** Which state of the response this is; null where it is not stored. */
  get revision(): Revision | null {
    return this.#notice.revision;
  }

  /** What went wrong, or why a loop starts afresh; null unless the event is an `error` or a `reset`. */
  get error(): RestError | null {
    return this.#notice.error;
  }

  /** Bytes received so far (`progress`), as they come out of the content coding; 0 otherwise. */
  get loaded(): number {
    return this.#notice.progress?.loaded ?? 0;
  }

  /** Bytes in all (`progress`); null where the server did not say. */
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
