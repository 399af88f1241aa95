import { expect, test } from 'vitest';
import { isEnvelope } from '../../shared/guard.ts';
import { houseOf } from '../../worker/house.fixture.ts';
import { FakeSystem, json, until } from '../../worker/system.fixture.ts';
import { settle } from '../../worker/virtual-clock.fixture.ts';
import type { Host } from '../hosts/host.ts';
import { hostOf } from './host.fixture.ts';
import { declaration, submission } from './invocation.fixture.ts';
import { sessionOf } from './session.fixture.ts';
import type { Session } from './session.ts';
import { HeardCall, HeardLoop } from './stage.fixture.ts';

/** A page whose messages from the worker wait while it is frozen. */
class Page {
  readonly system: FakeSystem = new FakeSystem();
  isFrozen = false;
  readonly kept: unknown[] = [];
  /** Answers the slow call. */
  answer: () => void = () => {};
  state = 1;
  readonly session: Session;
  readonly #house = houseOf(this.system);
  readonly #listeners = new Set<(data: unknown) => void>();

  constructor() {
    this.system.grant();
    this.system.serve = ({ url }) =>
      url.endsWith('/slow')
        ? new Promise((resolve) => (this.answer = (): void => resolve(json(['slow']))))
        : json([this.state]);
    this.session = sessionOf(this.#host(), 'session', this.system, () => new Promise(() => {}));
  }

  thaw(): void {
    this.isFrozen = false;
    for (const data of this.kept.splice(0)) setImmediate(() => this.#take(data));
  }

  #host(): Host {
    const postMessage = (answer: unknown): void => {
      const data: unknown = structuredClone(answer);
      if (this.isFrozen) this.kept.push(data);
      else setImmediate(() => this.#take(data));
    };
    return hostOf(this.#listeners, (message) => {
      const data: unknown = structuredClone(message);
      if (isEnvelope(data)) setImmediate(() => void this.#house.receive({ id: 'page', postMessage }, data));
    });
  }

  #take(data: unknown): void {
    for (const receive of this.#listeners) receive(data);
  }
}

test('an answer that came with a receipt is heard though the page has greeted meanwhile', async () => {
  const page = new Page();
  const loop = new HeardLoop();
  const pace = { kind: 'poll', interval: 1_000, hidden: 'continue' } as const;
  page.session.declare(declaration({ pace }), loop);
  await until(() => loop.ticks.length > 0);
  const call = new HeardCall();
  page.session.call(submission(1, { template: '/slow' }), call);
  await until(() => page.system.requests.some(({ url }) => url.endsWith('/slow')));
  page.isFrozen = true;
  page.answer();
  await until(() => page.kept.length === 1);
  page.state = 2;
  await page.system.clock.advance(1_000);
  await until(() => page.kept.length === 2);
  // It is resumed, and greets before it takes what has come.
  page.session.show();
  for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
  page.thaw();
  await until(() => call.ends.length > 0);
  for (let turn = 0; turn < 10; turn += 1) await settle();
  expect(call.ends).toEqual([['slow']]);
});
