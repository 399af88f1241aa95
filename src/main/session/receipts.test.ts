import { expect, test } from 'vitest';
import { isEnvelope } from '../../shared/guard.ts';
import { houseOf } from '../../worker/house.fixture.ts';
import { FakeSystem, json, until } from '../../worker/platform/system.fixture.ts';
import { settle } from '../../worker/platform/virtual-clock.fixture.ts';
import type { Host } from '../hosts/host.ts';
import { flush, hostOf } from './host.fixture.ts';
import { declaration, submission } from './invocation.fixture.ts';
import { sessionOf } from './session.fixture.ts';
import type { Session } from './session.ts';
import { HeardCall, HeardLoop, SessionStage } from './stage.fixture.ts';
import { World } from './world.fixture.ts';

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
  page.session.presence.show();
  for (let turn = 0; turn < 3; turn += 1) await Promise.resolve();
  page.thaw();
  await until(() => call.ends.length > 0);
  for (let turn = 0; turn < 10; turn += 1) await settle();
  expect(call.ends).toEqual([['slow']]);
});

test('a POST that is made before its page hears of the death of its worker is taken by the next, once', async () => {
  const world = new World();
  world.system.serve = () => json('made');
  const session = world.session();
  await session.ready();
  const killing = world.kill();
  const heard = new HeardCall();
  session.call(submission(1, { method: 'POST' }), heard);
  await killing;
  await world.pass(1_000);
  session.close();
  expect(heard.ends).toEqual(['made']);
  expect(world.system.requests.map(({ init }) => init.method)).toEqual(['POST']);
});

test('what a worker says of a call counts though its page greets it anew', async () => {
  const stage = new SessionStage();
  await stage.session.ready();
  const { life } = stage.host;
  life.refuses = () => ({ code: 'protocol', message: 'no' });
  const calling = stage.call(1, { method: 'POST' });
  // The call has gone out by then, and its receipt has not come.
  await Promise.resolve();
  stage.session.presence.show();
  const heard = await calling;
  await flush();
  expect([life.greetings, heard.ends]).toEqual([2, ['protocol']]);
  expect(stage.host.listeners).toBe(1);
});

test('a worker that knew nothing of a page when it called is greeted once', async () => {
  const stage = new SessionStage();
  await stage.session.ready();
  const next = stage.host.revive();
  const calling = stage.call(1, { method: 'POST' });
  await Promise.resolve();
  stage.session.presence.show();
  await calling;
  await flush();
  expect([next.greetings, next.batches]).toEqual([1, [[1]]]);
});
