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

  /** Takes over the line to an engine, with what was heard on it; these loops end there. */
  add(line: Transport, inbox: Inbox, loops: readonly number[], hasCalls: boolean): void {
    for (const loop of loops) line.remote.control({ kind: 'stop', loop }).catch(() => {});
    inbox.leave();
    this.#rests.set(line, { inbox, ids: hasCalls ? this.#calls.stay() : [] });
    this.#sweepLater();
  }

  /** The page greets the engine behind that door once more: which calls it still has, its welcome says. */
  rejoin(door: Endpoint): void {
    for (const [line, { ids }] of this.#rests) {
      if (line.door !== door) continue;
      this.#rests.delete(line);
      line.close();
      this.#calls.goOn(ids);
    }
  }

  /** Whether it was one of these that delivered. */
  take(batch: readonly Delivered[], line: Transport): boolean {
    const rest = this.#rests.get(line);
    if (!rest) return false;
    rest.inbox.take(batch);
    this.#sweepLater();
    return true;
  }

  abort(ids: readonly number[]): void {
    for (const line of this.#rests.keys()) line.remote.control({ kind: 'abort', ids }).catch(() => {});
    this.#sweepLater();
  }

  /** The session is over. */
  close(): void {
    for (const line of this.#rests.keys()) this.#end(line);
  }

  /** In a task of its own: the answer that has just come is acknowledged first. */
  #sweepLater(): void {
    if (this.#rests.size > 0) setTimeout(() => this.#sweep());
  }

  #sweep(): void {
    for (const [line, { ids }] of this.#rests) {
      if (ids.some((id) => this.#calls.listener(id))) continue;
      this.#end(line);
    }
  }

  #end(line: Transport): void {
    this.#rests.delete(line);
    line.remote.control({ kind: 'close' }).catch(() => {});
    line.close();
  }
}
