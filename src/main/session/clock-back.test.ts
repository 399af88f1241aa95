import { expect, test } from 'vitest';
import { BACK, ClockBack, STORAGE } from './clock-back.fixture.ts';
import type { Fate } from './clock-back.fixture.ts';

/** The rest is row 42 of the faults. */
const FATES: readonly Fate[] = BACK.slice(0, 1).flatMap((back) =>
  STORAGE.flatMap((storage) =>
    [true, false].flatMap((isChanged) =>
      [true, false].map((isLate) => ({ back, storage, isChanged, isLate })),
    ),
  ),
);

test.each(FATES)(
  'pages show the newest by a clock that went back $back ms: storage $storage, changed $isChanged, a page late $isLate',
  async (fate) => {
    const world = new ClockBack();
    await world.suffer({ back: 0, storage: 'kept', isChanged: false, isLate: false });
    await world.suffer(fate);
    await world.suffer({ ...fate, back: 0, storage: 'kept', isChanged: true });
    expect([...world.behind, ...world.older]).toEqual([]);
  },
);
