import { expect, test } from 'vitest';
import type { EarlyAnswer } from '../shared/early.ts';
import { invocation } from './cache/invocation.fixture.ts';
import type { Wish } from './cache/invocation.fixture.ts';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json, unreachable, until } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

/** A worker that is handed what came before it. */
class Stage {
  readonly world = new FakeSystem();
  readonly tab: Tab;

  constructor() {
    this.world.grant();
    const house = houseOf(this.world);
    this.tab = new Tab((source, envelope) => house.receive(source, envelope));
    this.tab.meet();
  }

  async adopt(...answers: readonly EarlyAnswer[]): Promise<void> {
    await this.tab.remote.control({ kind: 'adopt', answers });
  }

  /** A call that takes what is stored and fresh. */
  async call(id: number): Promise<void> {
    await this.tab.submitAll([submission(id, { policy: { revalidate: false } })]);
    await until(() => this.tab.settled.includes(id));
  }

  read(value: unknown): Extract<EarlyAnswer, { readonly kind: 'read' }> {
    const bytes = new TextEncoder().encode(JSON.stringify(value)).buffer;
    const receivedAt = this.world.clock.now();
    const headers = [
      ['content-type', 'application/json'],
      ['cache-control', 'max-age=600'],
    ] as const;
    const came = { status: 200, headers, bytes, receivedAt, delay: 0, finalUrl: null, sender: null };
    return { kind: 'read', invocation: invocation(), ...came };
  }
}

function written(wish: Wish = {}): EarlyAnswer {
  return { kind: 'write', invocation: invocation({ method: 'PUT', ...wish }), headers: [], isDone: true };
}

test('an early answer is fresh for the calls that come after it', async () => {
  const stage = new Stage();
  await stage.adopt(stage.read('early'));
  await stage.call(1);
  expect(stage.world.requests).toHaveLength(0);
});

test('one that was asked for before all was cleared is not stored', async () => {
  const stage = new Stage();
  await stage.world.clock.advance(1_000);
  await stage.tab.remote.control({ kind: 'clear-cache' });
  await stage.world.clock.advance(1_000);
  await stage.adopt({ ...stage.read('cleared'), delay: 1_500 });
  await stage.call(1);
  expect(stage.world.requests).toHaveLength(1);
});

test.each([
  ['to its URL', written()],
  ['to another URL, which may show it too', written({ template: '/album' })],
])('one from before an early write %s is not, whenever the calls come', async (_what, write) => {
  const stage = new Stage();
  stage.world.serve = () => json('after the write');
  const adopting = stage.adopt(stage.read('before the write'), write);
  await stage.call(1);
  await adopting;
  await stage.call(2);
  expect(stage.world.requests).not.toHaveLength(0);
});

test('one of what an early write has deleted is not served without a network either', async () => {
  const stage = new Stage();
  await stage.adopt(stage.read('deleted'), written({ method: 'DELETE' }));
  stage.world.online = false;
  stage.world.serve = unreachable;
  await stage.call(1);
  expect(stage.tab.deliveries).toMatchObject([{ id: 1, outcome: { failure: { code: 'offline' } } }]);
});

test('one from after an early write is fresh', async () => {
  const stage = new Stage();
  await stage.adopt(written(), stage.read('after the write'));
  await stage.call(1);
  expect(stage.world.requests).toHaveLength(0);
});

test('a call after an early write does not join what was asked for before that ended', async () => {
  const stage = new Stage();
  const answers: ((answer: Response) => void)[] = [];
  stage.world.serve = () => new Promise((resolve) => answers.push(resolve));
  await stage.tab.submitAll([submission(1)]);
  await until(() => answers.length === 1);
  await stage.adopt(written({ template: '/album' }));
  await stage.tab.submitAll([submission(2)]);
  await until(() => answers.length === 2);
  answers[1]?.(json('after the write'));
  await until(() => stage.tab.settled.includes(2));
  expect(stage.world.requests).toHaveLength(2);
});
