import { describe, expect, test } from 'vitest';
import { LIMITS } from '../shared/limits.ts';
import type { Delivery } from '../shared/delivery.ts';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, until } from './platform/system.fixture.ts';
import { Tab } from './tab.fixture.ts';
import { ticks } from './ticks.fixture.ts';

/** Rows of 1,000 characters, several chunks of them. */
const ROWS = Array.from({ length: Math.ceil((LIMITS.chunkSize * 3.5) / 1_000) }, (_, id) => ({
  id,
  text: 'x'.repeat(980),
}));

const LIST = JSON.stringify(ROWS);

class World {
  readonly system: FakeSystem = new FakeSystem();
  readonly #house = houseOf(this.system);
  text = LIST;
  headers: Readonly<Record<string, string>> = {};

  constructor() {
    this.system.grant();
    this.system.serve = () =>
      new Response(this.text, { headers: { 'Content-Type': 'application/json', ...this.headers } });
  }

  tab(session: string): Tab {
    return new Tab((source, envelope) => this.#house.receive(source, envelope), session, session);
  }
}

/** The deliveries about an answer, in order: numbers of chunks, and kinds of outcomes. */
function course({ deliveries }: Tab): (number | string)[] {
  return deliveries.flatMap((delivery) => {
    if (delivery.kind === 'chunk') return delivery.index;
    return delivery.kind === 'settled' || delivery.kind === 'tick' ? kindOf(delivery) : [];
  });
}

function kindOf({ outcome }: Extract<Delivery, { kind: 'settled' | 'tick' }>): string {
  if (outcome.kind === 'failed') return outcome.failure.code;
  const { body } = outcome.answer;
  return body.kind === 'chunked' ? `chunked ${body.chunks}` : body.kind;
}

/** The list that a page makes of the chunks. */
function rowsIn({ deliveries }: Tab): unknown[] {
  return deliveries.flatMap((each): unknown[] => (each.kind === 'chunk' ? JSON.parse(each.text) : []));
}

describe('a long list', () => {
  test('comes to a call in chunks, each once, and is told with the number of all', async () => {
    const world = new World();
    const tab = world.tab('one');
    void tab.submit(1);
    await until(() => tab.settled.length === 1);
    expect(course(tab)).toEqual([0, 1, 2, 3, 'chunked 4']);
    expect(rowsIn(tab)).toEqual(ROWS);
  });

  test('begins to come before its end is read: where that is no JSON, the call fails', async () => {
    const world = new World();
    world.text = `${LIST.slice(0, -1)}, nonsense]`;
    const tab = world.tab('one');
    void tab.submit(1);
    await until(() => tab.settled.length === 1);
    expect(course(tab)).toEqual([0, 1, 2, 'parse']);
  });

  test('comes to every page of a poll once, and what changes after it as a patch', async () => {
    const world = new World();
    const [one, two] = [world.tab('one'), world.tab('two')];
    for (const tab of [one, two]) {
      void tab.greet();
      void tab.declare({ pace: every(60_000) });
    }
    await until(() => [one, two].every((tab) => ticks(tab).length > 0));
    for (const tab of [one, two]) {
      expect(course(tab)).toEqual([0, 1, 2, 3, 'chunked 4']);
      expect(rowsIn(tab)).toEqual(ROWS);
    }
    world.text = JSON.stringify(ROWS.with(7, { id: 7, text: 'changed' }));
    await world.system.clock.advance(60_000);
    await until(() => [one, two].every((tab) => ticks(tab).length > 1));
    for (const tab of [one, two]) expect(course(tab)).toEqual([0, 1, 2, 3, 'chunked 4', 'patches']);
  });

  test('that may not be stored comes once all the same', async () => {
    const world = new World();
    world.headers = { 'Cache-Control': 'no-store' };
    const tab = world.tab('one');
    void tab.greet();
    void tab.declare({ pace: every(60_000) });
    await until(() => ticks(tab).length > 0);
    expect(course(tab)).toEqual([0, 1, 2, 3, 'chunked 4']);
  });

  test('is not told early to a page that is hidden', async () => {
    const world = new World();
    world.text = `${LIST.slice(0, -1)}, nonsense]`;
    const tab = world.tab('one');
    tab.wish = { hidden: true };
    void tab.greet();
    void tab.declare({ pace: every(60_000) });
    await until(() => ticks(tab).length > 0);
    expect(course(tab)).toEqual(['parse']);
  });
});
