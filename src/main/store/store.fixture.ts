import { onTestFinished } from 'vitest';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { FakePage } from '../page.fixture.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { ChangeModelEvent } from './model-store.ts';
import type { RestStoreDelegate } from './model-store.ts';
import { RestStore } from './rest-store.ts';

const DESCRIPTION = { get: { method: 'GET', url: '/{?page}' }, put: { method: 'PUT', url: '/' } } as const;

/** A resource of a page, and a store of its action `get`. */
export class StoreStage {
  readonly photo: ResourceOf<typeof DESCRIPTION>;
  readonly store: RestStore;
  /** The old and the new model of each change. */
  readonly changes: unknown[] = [];
  readonly #page: FakePage;

  constructor(page: FakePage, delegate?: RestStoreDelegate) {
    this.#page = page;
    this.photo = new Resource(DESCRIPTION, { connection: page.connection });
    this.store = new RestStore(this.photo, 'get', delegate);
    this.store.addEventListener('changeModel', (event) => {
      if (event instanceof ChangeModelEvent) this.changes.push([event.old, event.value]);
    });
  }

  async get(value: unknown, wish?: Partial<Answered>): Promise<void> {
    await this.#page.answer(this.photo.get(), answered(value, wish));
  }

  async fail(outcome: Outcome): Promise<void> {
    await this.#page.answer(this.photo.get(), outcome);
  }

  /** Brings a tick of the last declared loop; the next is due in so many milliseconds, null for none. */
  async tick(outcome: Outcome, nextIn: number | null): Promise<void> {
    await flush();
    const loop = this.#page.host.life.told('declare').at(-1)?.declaration.loop ?? 0;
    await this.#page.host.life.deliver({ kind: 'tick', loop, outcome, nextIn });
    await flush();
  }
}

/** An answer that is stored as the nth of its lineage. */
export function nth(number: number): Partial<Answered> {
  return { revision: { lineage: 'a', number }, changed: true };
}

/** Collects errors that event listeners throw, which Node reports as uncaught, until the test ends. */
export function catchThrown(): unknown[] {
  const thrown: unknown[] = [];
  const listeners = process.listeners('uncaughtException');
  const collect = (error: unknown): void => void thrown.push(error);
  process.removeAllListeners('uncaughtException').on('uncaughtException', collect);
  onTestFinished(() => {
    process.off('uncaughtException', collect);
    for (const listener of listeners) process.on('uncaughtException', listener);
  });
  return thrown;
}

/** Waits until a listener's error has been reported. */
export async function reported(thrown: readonly unknown[]): Promise<void> {
  for (let turn = 0; turn < 100 && thrown.length === 0; turn += 1) await flush();
}
