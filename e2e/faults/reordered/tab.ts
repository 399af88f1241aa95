import { isEnvelope } from '../../../src/shared/guard.ts';
import type { Revision } from '../../../src/shared/outcome.ts';
import { Connection } from '../../../src/main/connection/connection.ts';
import { resolveOptions } from '../../../src/main/connection/options.ts';
import type { Endpoint, HostKind, MovingHost } from '../../../src/main/hosts/host.ts';
import { Resource } from '../../../src/main/resource/resource.ts';
import type { ResourceOf } from '../../../src/main/resource/resource.ts';
import { RestStore } from '../../../src/main/store/rest-store.ts';
import type { Source } from '../../../src/worker/clients/clients.ts';
import type { Life } from './life.ts';

const DESCRIPTION = { get: { method: 'GET', url: '/state' } } as const;

/** A tab with the library in it, and the messages on their way to and from it. */
export class Tab implements MovingHost, Endpoint, Source {
  readonly kind: HostKind = 'service-worker';
  readonly reason = null;
  close(): void {}
  readonly id: string;
  /** Messages to the worker, whichever life it has when they arrive. */
  readonly outbox: unknown[] = [];
  /** Messages from each life, in order; between lives there is none. */
  readonly inboxes: Map<Life, unknown[]> = new Map();
  /** In the back/forward cache, where messages do not reach it. */
  frozen = false;
  /** How often an older revision was shown after a newer, and a call was told twice. */
  readonly found: { older: number; repeated: number } = { older: 0, repeated: 0 };
  calls = 0;
  settled = 0;
  shown: Revision | null = null;
  readonly #window: EventTarget;
  readonly #listeners = new Set<(data: unknown) => void>();
  readonly #resource: ResourceOf<typeof DESCRIPTION>;
  readonly #told = new Set<number>();
  #lastId = 0;

  constructor(id: string, window: EventTarget) {
    this.id = id;
    this.#window = window;
    const connection = new Connection(this, resolveOptions({}), () => (this.#lastId += 1));
    this.#resource = new Resource(DESCRIPTION, { connection });
    this.#resource.addListener('getSuccess', ({ id: told }) => this.#hear(told));
    const store = new RestStore(this.#resource, 'get');
    store.addEventListener('changeModel', () => this.#show(store.model));
    this.#resource.poll('get', {}, { interval: 5_000 });
  }

  get endpoint(): Endpoint {
    return this;
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  post(message: unknown): void {
    this.outbox.push(structuredClone(message));
  }

  listen(receive: (data: unknown) => void): () => void {
    this.#listeners.add(receive);
    return () => this.#listeners.delete(receive);
  }

  readonly waiting = false;

  greeted(): void {}

  watch(): () => void {
    return () => {};
  }

  async skipWaiting(): Promise<void> {}

  /** What a life of the worker posts to is not the tab itself, but its inbox for that life. */
  inboxOf(life: Life): Source {
    const inbox = this.inboxes.get(life) ?? [];
    this.inboxes.set(life, inbox);
    return { id: this.id, postMessage: (message) => void inbox.push(structuredClone(message)) };
  }

  postMessage(): void {
    throw new Error('A life of the worker posts to its own inbox');
  }

  call(): void {
    const id = this.#resource.get();
    this.calls += 1;
    const settle = (): void => void (this.settled += 1);
    this.#resource.result(id).then(settle, settle);
  }

  /** Sends the oldest message to the worker. */
  send(life: Life): void {
    const message = this.outbox.shift();
    if (isEnvelope(message)) life.receive(this.inboxOf(life), message);
  }

  /** Takes the oldest message of that life. */
  take(life: Life): void {
    const inbox = this.inboxes.get(life) ?? [];
    const message = inbox.shift();
    if (message !== undefined && !this.frozen) for (const receive of this.#listeners) receive(message);
  }

  leave(): void {
    this.#window.dispatchEvent(new Event('pagehide'));
    this.frozen = true;
  }

  show(): void {
    this.frozen = false;
    this.#window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  }

  #hear(id: number): void {
    if (this.#told.has(id)) this.found.repeated += 1;
    this.#told.add(id);
  }

  #show(model: unknown): void {
    if (!isRevision(model)) throw new TypeError('The model is no revision');
    const revision = model;
    const { shown } = this;
    this.shown = revision;
    if (!shown) return;
    const isOlder =
      shown.lineage === revision.lineage
        ? revision.number < shown.number
        : numberOf(revision.lineage) < numberOf(shown.lineage);
    if (isOlder) this.found.older += 1;
  }
}

/** The world numbers its lines. */
function numberOf(line: string): number {
  return Number.parseInt(line, 10);
}

function isRevision(model: unknown): model is Revision {
  return typeof model === 'object' && model !== null && 'lineage' in model && 'number' in model;
}
