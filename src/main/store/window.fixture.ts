import type { Answered } from '../../shared/outcome.ts';
import type { RowsQuery, RowsAnswer } from '../../shared/part.ts';
import type { SentBody } from '../../shared/delivery.ts';
import type { Command, Reply } from '../../shared/protocol.ts';
import { pointed } from '../../shared/part.ts';
import type { FakePage } from '../page.fixture.ts';
import type { InputParams } from '../resource/params.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import type { RestStoreDelegate } from './model-store.ts';
import { RestStore } from './rest-store.ts';

export interface Row {
  readonly id: number;
  readonly title: string;
}

/** So many rows, each a new object. */
export function rowsUpTo(count: number): Row[] {
  return Array.from({ length: count }, (_, id) => ({ id, title: `Photo ${id}` }));
}

const DESCRIPTION = { list: { method: 'GET', url: '/{?page}' } } as const;

/** A polled list in a worker that answers rows queries, and a store of it. */
export class WindowStage {
  readonly photo: ResourceOf<typeof DESCRIPTION>;
  readonly store: RestStore;
  /** The answer that the worker has stored; null for none. */
  stored: unknown = null;
  n = 0;
  /** The rows queries so far. */
  readonly asked: RowsQuery[] = [];
  /** Lets the worker answer a query; it waits for that after `hold`. */
  #release: () => void = () => {};
  #held: Promise<void> = Promise.resolve();
  readonly page: FakePage;

  constructor(page: FakePage, delegate?: RestStoreDelegate) {
    this.page = page;
    this.photo = new Resource(DESCRIPTION, { connection: page.connection });
    this.store = new RestStore(this.photo, 'list', delegate);
    page.host.life.replyTo = (command) => this.#replyTo(command);
  }

  /** The worker has a newer answer. */
  change(stored: unknown): void {
    this.stored = stored;
    this.n += 1;
  }

  poll(): void {
    this.photo.poll('list', {}, { interval: 5_000 });
  }

  hold(): void {
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  async release(): Promise<void> {
    this.#release();
    this.#held = Promise.resolve();
    await flush();
  }

  /** A tick of the loop, in the form that the page wants. */
  async tick(wish: Partial<Answered> = {}): Promise<void> {
    await flush();
    await this.#deliver(
      this.wantsBodies ? { kind: 'value', value: structuredClone(this.stored) } : { kind: 'unsent' },
      wish,
    );
  }

  /** A tick without its body, even if the page wants it. */
  async tickUnsent(): Promise<void> {
    await flush();
    await this.#deliver({ kind: 'unsent' }, {});
  }

  /** A whole tick, even if the page does not want it. */
  async tickWhole(wish: Partial<Answered> = {}): Promise<void> {
    await flush();
    await this.#deliver({ kind: 'value', value: structuredClone(this.stored) }, wish);
  }

  /** An answer to a call, which is always whole. */
  async call(wish: Partial<Answered> = {}, params: InputParams = {}): Promise<void> {
    await this.page.answer(
      this.photo.list(params),
      answered(structuredClone(this.stored), { ...this.#revised, ...wish }),
    );
  }

  /** True where the page has told the worker that its loop wants bodies. */
  get wantsBodies(): boolean {
    const { commands } = this.page.host.life;
    const told = commands.flatMap((command) => {
      if (command.kind === 'declare') return [command.declaration.interest];
      return command.kind === 'interest' ? [command.interest] : [];
    });
    return told.at(-1)?.body ?? true;
  }

  get #revised(): Pick<Answered, 'revision' | 'changed'> {
    return { revision: { lineage: 'a', number: this.n }, changed: true };
  }

  async #deliver(body: SentBody, wish: Partial<Answered>): Promise<void> {
    const { life } = this.page.host;
    const loop = life.told('declare').at(-1)?.declaration.loop ?? 0;
    const outcome = { ...answered(), ...this.#revised, ...wish, answer: { status: 200, headers: [], body } };
    await life.deliver({ kind: 'tick', loop, outcome, nextIn: 5_000 });
    await flush();
  }

  async #replyTo(command: Command): Promise<Reply> {
    if (command.kind !== 'part') return { kind: 'done' };
    this.asked.push(command.part);
    const part = this.#cut(command.part);
    await this.#held;
    return { kind: 'part', part };
  }

  /** The worker has one filter, `even`; any sorter reverses the list. */
  #cut({ pointer, start, count, filter, sorter }: RowsQuery): RowsAnswer {
    if (this.stored === null) return { kind: 'not-stored' };
    const given: unknown = pointed(this.stored, pointer);
    if (!Array.isArray(given)) return { kind: 'no-list' };
    if (filter && filter.name !== 'even') {
      return { kind: 'failed', failure: { code: 'function', message: `no function '${filter.name}'` } };
    }
    const kept = filter ? given.filter((_row, at) => at % 2 === 0) : given;
    const list = sorter ? kept.toReversed() : kept;
    const text = JSON.stringify(list.slice(start, start + count));
    return { kind: 'rows', revision: { lineage: 'a', number: this.n }, total: list.length, text };
  }
}

/** The events of a store, in order. */
export function eventsOf(target: EventTarget): string[] {
  const events: string[] = [];
  for (const type of ['changeModel', 'changeStatus']) target.addEventListener(type, () => events.push(type));
  return events;
}
