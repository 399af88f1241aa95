import type { Delivered } from '../../shared/delivery.ts';
import type { Endpoint } from '../hosts/host.ts';
import type { Calls } from './calls.ts';
import type { Inbox } from './inbox.ts';
import type { Transport } from './transport.ts';

/** What there is between a page and an engine that it has left. */
interface Rest {
  readonly inbox: Inbox;
  /** The calls that the engine still has. */
  readonly ids: readonly number[];
}

/** The engines that a page has left while they had calls of it: those are answered there, and nothing else is. */
export class LeftBehind {
  readonly #calls: Calls;
  readonly #rests = new Map<Transport, Rest>();

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  /** Takes over the transport to an engine, with what was heard on it; these loops end there. */
  add(transport: Transport, inbox: Inbox, loops: readonly number[], hasCalls: boolean): void {
    for (const loop of loops) transport.remote.control({ kind: 'stop', loop }).catch(() => {});
    inbox.leave();
    this.#rests.set(transport, { inbox, ids: hasCalls ? this.#calls.stay() : [] });
    this.#sweepLater();
  }

  /** The page greets the engine behind that endpoint once more: which calls it still has, its welcome says. */
  rejoin(endpoint: Endpoint): void {
    for (const [transport, { ids }] of this.#rests) {
      if (transport.endpoint !== endpoint) continue;
      this.#rests.delete(transport);
      transport.close();
      this.#calls.goOn(ids);
    }
  }

  /** Whether it was one of these that delivered. */
  take(batch: readonly Delivered[], transport: Transport): boolean {
    const rest = this.#rests.get(transport);
    if (!rest) return false;
    rest.inbox.take(batch);
    this.#sweepLater();
    return true;
  }

  abort(ids: readonly number[]): void {
    for (const transport of this.#rests.keys())
      transport.remote.control({ kind: 'abort', ids }).catch(() => {});
    this.#sweepLater();
  }

  /** The session is over. */
  close(): void {
    for (const transport of this.#rests.keys()) this.#end(transport);
  }

  /** In a task of its own: the answer that has just come is acknowledged first. */
  #sweepLater(): void {
    if (this.#rests.size > 0) setTimeout(() => this.#sweep());
  }

  #sweep(): void {
    for (const [transport, { ids }] of this.#rests) {
      if (ids.some((id) => this.#calls.listener(id))) continue;
      this.#end(transport);
    }
  }

  #end(transport: Transport): void {
    this.#rests.delete(transport);
    transport.remote.control({ kind: 'close' }).catch(() => {});
    transport.close();
  }
}
