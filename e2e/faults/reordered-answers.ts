import { setImmediate as turn } from 'node:timers/promises';
import { VirtualTime } from './reordered/virtual-time.ts';
import { World } from './reordered/world.ts';
import type { Bench, Result, Row } from './row.ts';

/** Turns that a healed world has to come to rest. */
const HEALING = 100;

/**
 * Late and repeated deliveries between a page's session and store and the worker's hub, in plain Node: answers told in
 * another order than they came in, lives of the worker whose messages overlap, tabs that miss some. A round is one step.
 */
export const reorderedAnswers: Row = {
  number: 25,
  name: 'reordered-answers',
  rounds: { short: 20_000, long: 1_000_000 },
  slow: false,
  run,
};

async function run({ rounds, random }: Bench): Promise<Result> {
  const time = new VirtualTime();
  const restoreTimers = time.install();
  const restorePage = playPage();
  try {
    const world = new World(time, random);
    Object.defineProperty(globalThis, 'navigator', { value: { locks: world }, configurable: true });
    for (let step = 0; step < rounds; step += 1) {
      world.step();
      await turn();
    }
    world.newest = { ...world.newest, number: world.newest.number + 1 };
    for (let each = 0; each < HEALING; each += 1) {
      world.heal();
      await turn();
    }
    return resultOf(world, rounds);
  } finally {
    restoreTimers();
    restorePage();
  }
}

/** What of a page the library looks at; the world has the rest. */
function playPage(): () => void {
  const before = Object.getOwnPropertyDescriptors(globalThis);
  const names = ['addEventListener', 'document', 'navigator'] as const;
  const document = Object.assign(new EventTarget(), { baseURI: 'https://page.example/', hidden: false });
  Object.assign(globalThis, { document });
  return () => {
    for (const name of names) {
      Reflect.deleteProperty(globalThis, name);
      const descriptor: PropertyDescriptor | undefined = before[name];
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    }
  };
}

function resultOf({ tabs, newest, deaths }: World, rounds: number): Result {
  const sum = (count: (tab: World['tabs'][number]) => number): number =>
    tabs.reduce((total, tab) => total + count(tab), 0);
  return {
    rounds,
    lost: sum(({ shown }) => (shown?.lineage === newest.lineage && shown.number === newest.number ? 0 : 1)),
    duplicated: sum(({ found }) => found.repeated),
    hung: sum(({ calls, settled }) => calls - settled),
    figures: [
      { name: 'older after newer', value: sum(({ found }) => found.older), atMost: 0 },
      { name: 'calls', value: sum(({ calls }) => calls) },
      { name: 'deaths', value: deaths },
    ],
  };
}
