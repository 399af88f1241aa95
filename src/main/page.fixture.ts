import { vi } from 'vitest';
import type { Outcome } from '../shared/outcome.ts';
import type { SentBody } from '../shared/delivery.ts';
import { Connection } from './connection/connection.ts';
import { resolveOptions } from './connection/options.ts';
import { FakeHost, flush } from './session/host.fixture.ts';
import { fakeTime } from './session/stage.fixture.ts';

/** The parts of a page that the library uses, and its connection to a fake worker. */
export class FakePage {
  readonly host: FakeHost = new FakeHost(false);
  readonly connection: Connection;
  #lastId = 0;

  constructor() {
    const nobody = new EventTarget();
    vi.stubGlobal('addEventListener', nobody.addEventListener.bind(nobody));
    vi.stubGlobal('document', Object.assign(new EventTarget(), { baseURI: 'https://page.example/' }));
    fakeTime();
    this.connection = new Connection(this.host, resolveOptions({}), () => (this.#lastId += 1));
  }

  /** Answers a call once it has reached the worker. */
  async answer(id: number, outcome: Outcome<SentBody>): Promise<void> {
    await flush();
    await this.host.life.settle(id, outcome);
    await flush();
  }

  leave(): void {
    this.connection.close();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  }
}
