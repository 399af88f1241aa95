import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { SentRequest } from '../../shared/outcome.ts';
import type { System } from '../platform/system.ts';
import type { ReadBody, Reading } from '../contracts/read-body.ts';
import { readBody } from './body.ts';
import type { Parsed } from './body.ts';
import { Limit, Pool, ReadingRoom } from './bounds.ts';
import { prepare } from './request.ts';
import type { Order } from './request.ts';
import { Sending } from './sending.ts';
import type { Exchanged, Watch } from './sending.ts';

export type { Parsed } from './body.ts';
export type { Limit } from './bounds.ts';
export type { Order, Validators, WriteTurn } from './request.ts';
export type { Exchanged, Watch } from './sending.ts';

/** Makes requests: one order in, one answer or failure out, within the limit that comes with it. */
export class Exchange {
  readonly #system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random' | 'pause'>;
  readonly #pool = new Pool();
  readonly #room = new ReadingRoom();

  constructor(system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random' | 'pause'>) {
    this.#system = system;
  }

  /** The time that the invocation's policy gives it, from now on. The caller must lift the limit in the end. */
  limit(invocation: Invocation, url: string, caller: AbortSignal): Limit {
    return new Limit(this.#system.clock, invocation, url, caller);
  }

  /** The same for several callers, who give up by themselves: `left` says in how many milliseconds the last of them. */
  limitOfAll(invocation: Invocation, url: string, callers: AbortSignal, left: () => number): Limit {
    return new Limit(this.#system.clock, invocation, url, callers, left);
  }

  /** Never rejects, and settles at the latest when the limit is reached. */
  async send(order: Order, watch: Watch, limit: Limit): Promise<Exchanged> {
    let request: SentRequest | null = null;
    try {
      const prepared = prepare(order);
      if (prepared.kind === 'failed') return prepared;
      if (limit.failure) return { kind: 'failed', failure: limit.failure, answer: null, request };
      ({ request } = prepared);
      const sending = new Sending(this.#system, order, prepared, watch, limit, this.#pool, this.#room);
      // A fetch or a body that does not heed its signal must not hold the call (invariant 9).
      return await Promise.race([sending.run(), sending.cutShort()]);
    } catch (error) {
      const message = `${order.invocation.method} ${order.url} went wrong on the way: ${String(error)}`;
      return { kind: 'failed', failure: { code: 'protocol', message }, answer: null, request };
    }
  }

  /** Reads bytes by their Content-Type: for bodies that do not come straight from the network. */
  read(bytes: ArrayBuffer, headers: readonly Header[], status: number, reading: Reading): Parsed<ReadBody> {
    return readBody(bytes, headers, status, reading);
  }
}
