import { expect, test } from 'vitest';
import type { WorkerRequest } from './engine/request-context.ts';
import { EngineStage, gist } from './engine/engine.fixture.ts';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, json } from './platform/system.fixture.ts';
import { Tab } from './tab.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';

/** Plain JavaScript gives a header whatever it has. */
function set(request: WorkerRequest, name: string, value: unknown): void {
  Reflect.apply(Reflect.get(request, 'setRequestHeader'), request, [name, value]);
}

/** A worker whose own hook has no token at its first request. */
function worker(): { readonly world: FakeSystem; readonly tab: Tab } {
  const world = new FakeSystem();
  world.serve = () => json({});
  world.grant();
  const tokens: (string | undefined)[] = ['abc', undefined];
  const house = houseOf(world, {
    configureRequest: (request) => set(request, 'X-Token', tokens.length > 1 ? tokens.pop() : tokens[0]),
  });
  return { world, tab: new Tab((source, envelope) => house.receive(source, envelope)) };
}

test('a call whose hook sets a header to undefined fails, and says why', async () => {
  const { world, tab } = worker();
  await tab.greet();
  await tab.submit(1);
  await world.clock.advance(1_000);
  await settle();
  expect(tab.deliveries.filter(({ kind }) => kind === 'settled')).toMatchObject([
    {
      outcome: {
        failure: { code: 'protocol', message: expect.stringContaining("Value of header 'X-Token'") },
      },
    },
  ]);
});

test('a loop goes on whose hook did so once', async () => {
  const { world, tab } = worker();
  await tab.greet();
  await tab.declare({ pace: every(1_000) });
  for (let second = 0; second < 60; second += 1) {
    await world.clock.advance(1_000);
    await settle();
  }
  expect(world.requests.length).toBeGreaterThan(5);
});

test.each([undefined, null, {}, 'a\nb'])('no header is sent as the text of %j', async (value) => {
  const stage = new EngineStage(() => json({}));
  stage.hook = (request) => set(request, 'Authorization', value);
  expect(gist(await stage.invoke())).toBe('protocol');
  expect(stage.system.requests).toEqual([]);
});

test('space around what the hook sets is not sent, as of what a page sets', async () => {
  const stage = new EngineStage(() => json({}));
  stage.hook = (request) => request.setRequestHeader('X-Token', ' abc ');
  await stage.invoke();
  expect(stage.sent(0, 'X-Token')).toBe('abc');
});

test('whatever goes wrong in the worker is the failure of that call alone', async () => {
  const stage = new EngineStage(() => json({}));
  Object.assign(stage.cache, { peek: () => Promise.reject(new Error('broken')) });
  expect(await stage.invoke()).toMatchObject({
    failure: { code: 'protocol', message: "The worker could not serve 'get': broken" },
  });
});
