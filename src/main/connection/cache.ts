import type { StoredEntry } from '../../shared/inspection.ts';
import type { Command, Reply } from '../../shared/protocol.ts';

/** The answers that the worker stores for the present identity. Every method rejects where the worker does not answer. */
export class ConnectionCache {
  readonly #request: (command: Command) => Promise<Reply>;

  constructor(request: (command: Command) => Promise<Reply>) {
    this.#request = request;
  }

  /** Every stored answer, by its URL, a hundred at a time: `for await (const entry of cache.list())`. */
  async *list(): AsyncGenerator<StoredEntry, void, undefined> {
    for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
      const reply: Reply = await this.#request({ kind: 'list-stored', after });
      if (reply.kind !== 'stored-page') return;
      yield* reply.page.entries;
      after = reply.page.next;
    }
  }

  /** The newest answer that is stored for a URL, however old; null where there is none. No server is asked. */
  async read(url: string): Promise<Response | null> {
    const reply = await this.#request({ kind: 'read-stored', url: absolute(url) });
    if (reply.kind !== 'stored-answer' || !reply.answer) return null;
    const { status, headers, body } = reply.answer;
    const pairs = headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(body.byteLength > 0 ? body : null, { status, headers: pairs });
  }

  /** Removes every stored answer for a URL; resolves when that is done. */
  async remove(url: string): Promise<void> {
    await this.#request({ kind: 'remove-stored', url: absolute(url) });
  }

  /** Removes every stored answer, every feed and where loops were. What is under way is told, and not stored. */
  async clear(): Promise<void> {
    await this.#request({ kind: 'clear-cache' });
  }
}

function absolute(url: string): string {
  return new URL(url, typeof document === 'undefined' ? undefined : document.baseURI).href;
}
