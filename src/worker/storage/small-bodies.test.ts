import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { foundIn } from '../contracts/response-store.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import { hold } from './held-database.fixture.ts';
import { Partitions } from './partitions.ts';
import { orderOf, record, removalOf } from './record.fixture.ts';
import { Responses } from './responses.ts';

const HOUR = 3_600_000;

/** A partition's answers, of which those were stored. */
async function stored(...records: ReturnType<typeof record>[]) {
  const system = new FakeSystem();
  const life = (): Responses => new Responses(system, new Partitions(system, '/', () => {}).open('default'));
  const responses = life();
  for (const each of records) expect(await responses.write(orderOf(each))).toBe(true);
  return { system, responses, nextLife: life };
}

/** The size of what is given while a transaction holds the database; null where the database has to be waited for. */
async function givenMeanwhile(
  { system }: { system: FakeSystem },
  responses: Responses,
  of: ReturnType<typeof record>,
): Promise<number | null> {
  const release = await hold(system);
  let given: number | null = null;
  const reading = responses.body(of).then((body) => (given = foundIn(body)?.byteLength ?? null));
  await system.clock.advance(0);
  const meanwhile = given;
  release();
  await reading;
  return meanwhile;
}

describe('a small body does not wait for the database', () => {
  test('once it was stored, each time', async () => {
    const stage = await stored(record('a'));
    expect(await givenMeanwhile(stage, stage.responses, record('a'))).toBe(3);
    expect(await givenMeanwhile(stage, stage.responses, record('a'))).toBe(3);
  });

  test('once a later life has read it', async () => {
    const { nextLife, ...stage } = await stored(record('a'));
    const later = nextLife();
    expect(await givenMeanwhile(stage, later, record('a'))).toBeNull();
    expect(await givenMeanwhile(stage, later, record('a'))).toBe(3);
  });

  test('and may be transferred away', async () => {
    const { responses } = await stored(record('a'));
    for (let time = 0; time < 2; time += 1) {
      const given = foundIn(await responses.body(record('a'))) ?? new ArrayBuffer();
      expect(given.byteLength).toBe(3);
      structuredClone(given, { transfer: [given] });
    }
  });
});

describe('the database is asked', () => {
  test('for a larger one', async () => {
    const stage = await stored(record('a', 2_049));
    expect(await givenMeanwhile(stage, stage.responses, record('a', 2_049))).toBeNull();
  });

  test('for what is used for an hour, so that it is not evicted as if it were not', async () => {
    const stage = await stored(record('a'));
    await stage.system.clock.advance(HOUR);
    expect(await givenMeanwhile(stage, stage.responses, record('a'))).toBeNull();
    expect(await givenMeanwhile(stage, stage.responses, record('a'))).toBe(3);
  });

  test('where the clock was set back', async () => {
    const stage = await stored(record('a'));
    stage.system.clock.set(-1);
    expect(await givenMeanwhile(stage, stage.responses, record('a'))).toBeNull();
  });

  test('for those used longest ago, where they are too many', async () => {
    const most = LIMITS.smallBodies / (1_024 + 2_048);
    const names = Array.from({ length: Math.ceil(most) }, (_, index) => `${index}`);
    const stage = await stored(...names.map((name) => record(name, 2_048)));
    expect(await givenMeanwhile(stage, stage.responses, record('1', 2_048))).toBe(2_048);
    expect(await givenMeanwhile(stage, stage.responses, record('0', 2_048))).toBeNull();
  });
});

describe('nothing is given of what is gone', () => {
  test.each<[string, (responses: Responses) => Promise<unknown>]>([
    ['removed', (responses) => responses.write(removalOf('a'))],
    ['cleared', (responses) => responses.clear()],
    ['replaced', (responses) => responses.write(orderOf(NEXT))],
    ['replaced by a larger one', (responses) => responses.write(orderOf({ ...NEXT, size: 2_049 }))],
  ])('%s', async (_, change) => {
    const { responses } = await stored(record('a'));
    await change(responses);
    expect(await responses.body(record('a'))).toEqual({ kind: 'absent' });
  });

  test('removed while it was read', async () => {
    const { system, nextLife } = await stored(record('a'));
    const later = nextLife();
    const release = await hold(system);
    const reading = later.body(record('a'));
    await system.clock.advance(0);
    const removal = later.write(removalOf('a'));
    release();
    await Promise.all([reading, removal]);
    expect(await later.body(record('a'))).toEqual({ kind: 'absent' });
  });

  test('that could not be stored', async () => {
    const { responses } = await stored();
    const failing = orderOf(record('a'), {
      decide: () => {
        throw new Error('mistake');
      },
    });
    expect(await responses.write(failing)).toBe(false);
    expect(await responses.body(record('a'))).toEqual({ kind: 'absent' });
  });
});

const NEXT = record('a', 5, { revision: { lineage: 'line', number: 2 } });
