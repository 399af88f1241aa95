import type { Header } from '../../shared/header.ts';
import type { System } from '../system.ts';
import { parseBody } from './body.ts';
import type { Parsed } from './body.ts';
import { Limit } from './limit.ts';
import { prepare } from './request.ts';
import type { Order } from './request.ts';
import { Sending } from './sending.ts';
import type { Exchanged, Watch } from './sending.ts';

export type { Parsed } from './body.ts';
export type { Order, Validators } from './request.ts';
export type { Exchanged, Watch } from './sending.ts';

/** Makes requests: one order in, one answer or failure out, within the time that its policy gives. */
export class Exchange {
  readonly #system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random'>;

  constructor(system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random'>) {
    this.#system = system;
  }

  /** Never rejects, and settles at the latest when the policy's `timeout` has passed or `signal` aborts. */
  async send(order: Order, watch: Watch, signal: AbortSignal): Promise<Exchanged> {
    const prepared = prepare(order);
    if (prepared.kind === 'failed') return prepared;
    const limit = new Limit(this.#system.clock, order, signal);
    if (limit.failure) return { kind: 'failed', failure: limit.failure, answer: null, request: null };
    try {
      const sending = new Sending(this.#system, order, prepared, watch, limit);
      // A fetch or a body that does not heed its signal must not hold the call (invariant 9).
      return await Promise.race([sending.run(), sending.cutShort()]);
    } catch (error) {
      const message = `${order.invocation.method} ${order.url} went wrong on the way: ${String(error)}`;
      return {
        kind: 'failed',
        failure: { code: 'protocol', message },
        answer: null,
        request: prepared.request,
      };
    } finally {
      limit.lift();
    }
  }

  /** What the bytes of an answer say, by their Content-Type: for bodies that come out of the cache. */
  read(bytes: ArrayBuffer, headers: readonly Header[], status: number): Parsed {
    return parseBody(bytes, headers, status);
  }
}
