import { Channel } from './channel.ts';
import type { ChannelEnd, Send } from './channel.ts';

/** Runs everything that is ready to run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A posted message as it arrives. */
export function cloned(message: unknown, transfer: readonly object[]): unknown {
  return structuredClone(message, { transfer: transferables(transfer) });
}

/** Two connected channels, as of a page and a worker: every message is cloned on its way. */
export class Wire {
  readonly page: Channel;
  readonly worker: Channel;
  /** Everything that went over the wire, in order. */
  readonly log: unknown[] = [];

  constructor(pageAllows: readonly string[], workerAllows: readonly string[]) {
    this.page = new Channel(
      pageAllows,
      this.#to(() => this.worker),
    );
    this.worker = new Channel(
      workerAllows,
      this.#to(() => this.page),
    );
  }

  #to(receiver: () => Channel): Send {
    return (message, transfer) => {
      const clone = cloned(message, transfer);
      this.log.push(clone);
      setImmediate(() => receiver().receive(clone));
    };
  }
}

/** An endpoint as Comlink's `expose` would get it without a channel: every message is accepted. */
export class BareEnd implements ChannelEnd {
  readonly #listeners = new Set<(event: { readonly data: unknown }) => void>();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  postMessage(message: unknown, transfer: readonly object[] = []): void {
    this.#send(message, transfer);
  }

  addEventListener(_type: string, listener: (event: { readonly data: unknown }) => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: string, listener: (event: { readonly data: unknown }) => void): void {
    this.#listeners.delete(listener);
  }

  receive(data: unknown): void {
    for (const listener of this.#listeners) listener({ data });
  }
}

function transferables(objects: readonly object[]): ArrayBuffer[];
function transferables(objects: readonly unknown[]): unknown[] {
  return [...objects];
}
