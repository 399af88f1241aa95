import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';
import { mayFollowDeed } from '../../shared/outcome.ts';
import type { Answer, Failed, SentRequest } from '../../shared/outcome.ts';
import type { Progress } from '../../shared/delivery.ts';
import { isGone } from '../../shared/invocation.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { parsedAnswer } from '../contracts/read-body.ts';
import type { ReadBody } from '../contracts/read-body.ts';
import type { System } from '../platform/system.ts';
import { NO_BYTES, refusalIn, statusOf, conclude, waitBeforeRepeating } from './body.ts';
import type { Arrival, Refusal, Setback } from './body.ts';
import { announcedLength, answerBytes, ProgressMeter } from './answer-bytes.ts';
import { tooLarge, tooMuch } from './bounds.ts';
import type { Limit, Pool, ReadingRoom } from './bounds.ts';
import { finalUrlOf, misled, senderOf } from './request.ts';
import type { Order, Ready } from './request.ts';

/** Callbacks for the steps of a request. */
export interface Watch {
  /** A request waits for its owner's turn. */
  queued?(): void;
  /** A request goes out: the first, or a repetition. */
  asking?(): void;
  /** The headers of the answer have arrived; not called if the request is about to be repeated. */
  sent?(status: number, headers: readonly Header[]): void;
  /** At most ten a second, and once at the end. */
  progress?(progress: Progress): void;
  /** It failed, and is repeated after so many milliseconds. */
  waiting?(milliseconds: number): void;
}

/** How a request ended. `receivedAt` is when the headers arrived, in milliseconds of the epoch. */
export type Exchanged =
  | (Arrived & {
      readonly kind: 'answered';
      readonly answer: Answer<ReadBody>;
      /** The body as it came. If the answer is not text, `answer.body` holds this very buffer. */
      readonly bytes: ArrayBuffer;
      /** The origin that a redirect led to, if that is not the one asked; otherwise null. */
      readonly sender: string | null;
    })
  /** The server confirmed the order's `validators`. They say nothing about another URL. */
  | (Arrived & { readonly kind: 'not-modified'; readonly headers: readonly Header[] })
  /** `arrived`: missing if there is no whole answer. */
  | (Failed & { readonly arrived?: Omit<Arrived, 'request'> });

interface Arrived {
  /** The URL that a redirect led to; null if there was none. */
  readonly finalUrl: string | null;
  readonly receivedAt: number;
  /** Milliseconds from this request, the last repetition, to that. */
  readonly delay: number;
  readonly request: SentRequest;
}

interface Again {
  readonly kind: 'again';
  /** Milliseconds. */
  readonly wait: number;
  /** The result if, after the wait, the request must not be repeated. */
  readonly instead: () => Exchanged;
}

export class Sending {
  readonly #system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random' | 'pause'>;
  readonly #order: Order;
  readonly #ready: Ready;
  readonly #watch: Watch;
  readonly #limit: Limit;
  readonly #pool: Pool;
  readonly #room: ReadingRoom;
  /** True once a request may have left: a failure before that has no request. */
  #isSent = false;
  /** The refusal whose body is being read, by its headers alone. */
  #refusal: Refusal | null = null;
  /** True once an answer was lost, on its way or behind a gateway: the server may have done it. */
  #isLost = false;

  constructor(
    system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random' | 'pause'>,
    order: Order,
    ready: Ready,
    watch: Watch,
    limit: Limit,
    pool: Pool,
    room: ReadingRoom,
  ) {
    this.#system = system;
    this.#order = order;
    this.#ready = ready;
    this.#watch = watch;
    this.#limit = limit;
    this.#pool = pool;
    this.#room = room;
  }

  async run(): Promise<Exchanged> {
    const turn = this.#enterPool();
    if (turn) await turn;
    for (let repetitions = 0; ; repetitions += 1) {
      const attempt = await this.#attempt(repetitions).finally(() => this.#leavePool());
      if (attempt.kind !== 'again') return attempt;
      this.#watch.waiting?.(attempt.wait);
      if (!(await this.#enterPoolAfter(attempt.wait))) return attempt.instead();
    }
  }

  /** Settles when the limit is reached before the answer. */
  async cutShort(): Promise<Exchanged> {
    const failure = await this.#limit.reached;
    const refusal = failure.code === 'timeout' ? this.#refusal : null;
    return this.#failed(refusal?.failure ?? failure, refusal?.answer);
  }

  /** False, and at once, if a newer write may be done: then it has not entered, and must not be repeated. */
  async #enterPoolAfter(milliseconds: number): Promise<boolean> {
    const { write } = this.#order;
    const wait = this.#system.clock.sleep(milliseconds, this.#limit.signal);
    while (write ? await write.mayBeRepeated(wait) : await wait.then(() => true)) {
      await this.#enterPool();
      // While it waited for its turn, a newer write may have begun, or even be done.
      if (!write || write.isNewest) return true;
      this.#leavePool();
    }
    return false;
  }

  #enterPool(): Promise<void> | null {
    const turn = this.#pool.enter(this.#order.owner, this.#limit.signal);
    if (turn) this.#watch.queued?.();
    return turn;
  }

  #leavePool(): void {
    this.#pool.leave(this.#order.owner);
  }

  async #attempt(repetitions: number): Promise<Exchanged | Again> {
    // Its turn may come only when its time is over: then nothing is sent.
    if (this.#limit.failure) return this.#failed(this.#limit.failure);
    let arrival: Arrival;
    const wasOnline = this.#system.isOnline();
    try {
      const init = { ...this.#ready.init, signal: this.#limit.signal };
      this.#watch.asking?.();
      this.#isSent = true;
      const askedAt = this.#system.clock.now();
      const response = await this.#system.fetch(this.#order.url, init);
      const receivedAt = this.#system.clock.now();
      arrival = { response, headers: [...response.headers], receivedAt, delay: receivedAt - askedAt };
    } catch {
      // `prepare` has ruled out everything but the network.
      return this.#unreached(repetitions, wasOnline);
    }
    const failure = misled(this.#order.invocation, this.#order.url, arrival.response);
    if (failure) return this.#failed(failure);
    this.#isLost ||= mayFollowDeed(arrival.response.status);
    const again = this.#again(repetitions, statusOf(arrival), () => this.#conclude(arrival, NO_BYTES));
    if (again === null) return await this.#receive(arrival, repetitions);
    await this.#leave(arrival.response);
    return again;
  }

  /** Frees the connection of an answer that is not read. */
  async #leave(response: Response): Promise<void> {
    try {
      await response.body?.cancel();
    } catch {
      // It broke off by itself, which is as good.
    }
  }

  /** `wasOnline`: there was a network when the request went out, so the server may have got it. */
  #unreached(repetitions: number, wasOnline: boolean): Exchanged | Again {
    if (!this.#system.isOnline()) {
      this.#isLost ||= wasOnline;
      return this.#failed({ code: 'offline', message: `${this.#name} failed: offline` });
    }
    const hint =
      this.#ready.init.mode === 'same-origin' && this.#ready.init.redirect === 'follow'
        ? ' (a redirect to an origin that is not allowed looks like this too)'
        : '';
    return this.#broken(repetitions, `${this.#name} got no answer from its server${hint}`);
  }

  async #receive(arrival: Arrival, repetitions: number): Promise<Exchanged | Again> {
    const { response, headers } = arrival;
    const { request, confirms } = this.#ready;
    if (this.#limit.failure === null) this.#watch.sent?.(response.status, headers);
    if (response.status === 304 && confirms) {
      return { kind: 'not-modified', headers, request, ...this.#arrived(arrival) };
    }
    const announced = announcedLength(response, request.method);
    const { signal } = this.#limit;
    const { answerSize: most } = this.#order.invocation.policy;
    const reader = this.#room.enter();
    const allowance = { most, reader };
    const meter = this.#meter(announced);
    this.#refusal = refusalIn(this.#name, arrival);
    const read = await answerBytes(response, announced, allowance, meter, signal, this.#system);
    reader.leave();
    switch (read.kind) {
      case 'whole':
        return this.#conclude(arrival, read.bytes);
      case 'broken':
        if (this.#refusal) return this.#failed(this.#refusal.failure, this.#refusal.answer);
        return this.#broken(repetitions, `The answer to ${this.#name} broke off`);
      case 'oversized':
        return this.#failed(tooLarge(this.#name, most), this.#refusal?.answer ?? headOf(arrival));
      case 'crowded':
        return this.#failed(tooMuch(this.#name), this.#refusal?.answer ?? headOf(arrival));
      default:
        return unreachable(read);
    }
  }

  #conclude(arrival: Arrival, bytes: ArrayBuffer): Exchanged {
    const { response, headers } = arrival;
    const { status } = response;
    if (this.#isLost && isGone(this.#order.invocation.method, status)) return this.#gone(arrival);
    const { answer, failure } = conclude(this.#name, status, headers, bytes, this.#order.reading);
    if (failure) return { ...this.#failed(failure, parsedAnswer(answer)), arrived: this.#arrived(arrival) };
    return this.#answered(arrival, answer, bytes);
  }

  /** The request whose answer was lost has done it already, so this refusal means success. */
  #gone(arrival: Arrival): Exchanged {
    const { response, headers } = arrival;
    const body = { kind: 'value', value: null, size: 0 } as const;
    return this.#answered(arrival, { status: response.status, headers, body }, NO_BYTES);
  }

  #arrived({ response, receivedAt, delay }: Arrival): Omit<Arrived, 'request'> {
    return { receivedAt, delay, finalUrl: finalUrlOf(this.#order.url, response) };
  }

  #answered(arrival: Arrival, answer: Answer<ReadBody>, bytes: ArrayBuffer): Exchanged {
    const { url } = this.#order;
    const { request } = this.#ready;
    return {
      kind: 'answered',
      answer,
      bytes,
      sender: senderOf(url, arrival.response),
      request,
      ...this.#arrived(arrival),
    };
  }

  #broken(repetitions: number, message: string): Exchanged | Again {
    this.#isLost = true;
    const fail = (): Failed => this.#failed({ code: 'network', message });
    return this.#again(repetitions, { kind: 'network' }, fail) ?? fail();
  }

  #again(repetitions: number, setback: Setback, instead: () => Exchanged): Again | null {
    if (this.#order.write?.isOutdone) return null;
    const { random } = this.#system;
    const { remaining } = this.#limit;
    const wait = waitBeforeRepeating(this.#order.invocation, repetitions, setback, random(), remaining);
    return wait === null ? null : { kind: 'again', wait, instead };
  }

  #meter(total: number | null): ProgressMeter | null {
    if (!this.#watch.progress) return null;
    return new ProgressMeter(this.#system.clock, total, (progress) => this.#watch.progress?.(progress));
  }

  /** If the limit was reached, that is why everything after it failed, but for a refusal that came before. */
  #failed(failure: Failure, answer: Answer | null = null): Failed {
    const { failure: limited } = this.#limit;
    const request = this.#isSent ? this.#ready.request : null;
    const lost = this.#isLost && this.#order.write !== null && { lost: true };
    const isRefusal = answer !== null && answer === this.#refusal?.answer && limited?.code === 'timeout';
    if (limited && !isRefusal) return { kind: 'failed', failure: limited, answer: null, request, ...lost };
    return { kind: 'failed', failure, answer, request, ...lost };
  }

  get #name(): string {
    return `${this.#order.invocation.method} ${this.#order.url}`;
  }
}

/** An answer whose body is not read: whoever gave it, a portal perhaps, its headers tell. */
function headOf({ response, headers }: Arrival): Answer {
  return { status: response.status, headers, body: { kind: 'value', value: null } };
}
