import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { RestError } from '../error.ts';
import { Ledger } from './ledger.ts';
import { aborted, success } from './notice.fixture.ts';

async function codeOf(result: Promise<unknown>): Promise<unknown> {
  return result.then(
    () => 'fulfilled',
    (error: unknown) => (error instanceof RestError ? error.code : error),
  );
}

/** Collects the heap. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') Reflect.apply(gc, null, []);
}

/** A ledger of so many settled invocations, numbered from 1. */
function settled(count: number): Ledger {
  const ledger = new Ledger();
  for (let id = 1; id <= count; id += 1) {
    ledger.open(id);
    ledger.settle(success(id), 0);
  }
  return ledger;
}

describe('the result of an invocation', () => {
  test('that is under way is waited for, by all who ask', async () => {
    const ledger = new Ledger();
    ledger.open(1);
    const results = [ledger.result(1), ledger.result(1)];
    expect(ledger.isOpen(1)).toBe(true);
    ledger.settle(success(1), 0);
    expect(await Promise.all(results)).toEqual(['answer 1', 'answer 1']);
    expect(ledger.isOpen(1)).toBe(false);
  });

  test('may be asked for again afterwards', async () => {
    const ledger = settled(1);
    expect(await ledger.result(1)).toBe('answer 1');
    expect(await ledger.result(1)).toBe('answer 1');
  });

  test('rejects with the failure, before and after', async () => {
    const ledger = new Ledger();
    ledger.open(1);
    const before = codeOf(ledger.result(1));
    ledger.settle(aborted(1), 0);
    expect([await before, await codeOf(ledger.result(1))]).toEqual(['aborted', 'aborted']);
  });

  test('that nobody asks for is no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const ledger = new Ledger();
    ledger.open(1);
    ledger.settle(aborted(1), 0);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  test('that was never made is unknown', async () => {
    expect(await codeOf(new Ledger().result(7))).toBe('unknown-invocation');
  });
});

describe(`the last ${LIMITS.results} that are settled are known`, () => {
  test('and no more', async () => {
    const ledger = settled(LIMITS.results + 1);
    expect(await codeOf(ledger.result(1))).toBe('unknown-invocation');
    expect(await ledger.result(2)).toBe('answer 2');
    expect(await ledger.result(LIMITS.results + 1)).toBe(`answer ${LIMITS.results + 1}`);
  });

  test('however many are under way', async () => {
    const ledger = new Ledger();
    for (let id = 1; id <= LIMITS.results + 1; id += 1) ledger.open(id);
    const first = ledger.result(1);
    ledger.settle(success(1), 0);
    expect(await first).toBe('answer 1');
    expect(ledger.isOpen(2)).toBe(true);
  });
});

const ROOM = LIMITS.resultBytes;

/** A ledger of answers of these sizes, numbered from 1, and what may be left of them. */
function holding(...sizes: readonly number[]): { ledger: Ledger; left: () => Promise<boolean[]> } {
  const ledger = new Ledger();
  const responses = sizes.map((size, index) => {
    const response = { id: index + 1 };
    ledger.open(index + 1);
    ledger.settle(success(index + 1, response), size);
    return new WeakRef(response);
  });
  const left = async (): Promise<boolean[]> => {
    // What was made in this turn is held until it ends.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return responses.map((response) => response.deref() !== undefined);
  };
  return { ledger, left };
}

describe('answers are held by their bytes', () => {
  test('the newest that have room, and no others', async () => {
    const { ledger, left } = holding(ROOM / 2, ROOM / 2, ROOM / 4, ROOM / 4, 1);
    expect(await left()).toEqual([false, false, true, true, true]);
    expect(await codeOf(ledger.result(1))).toBe('unknown-invocation');
    expect(await ledger.result(4)).toEqual({ id: 4 });
  });

  test('one that is too large for all costs the others nothing', async () => {
    const { left } = holding(ROOM / 2, ROOM + 1, ROOM / 2);
    expect(await left()).toEqual([true, false, true]);
  });

  test('but what somebody else holds is known all the same', async () => {
    const ledger = new Ledger();
    const [response, failure] = [{ rows: [1] }, aborted(2)];
    ledger.settle(success(1, response), 2 * ROOM);
    ledger.settle(failure, 2 * ROOM);
    ledger.settle(success(3, 7), 2 * ROOM);
    ledger.settle(success(4, 'long'), 2 * ROOM);
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(await ledger.result(1)).toBe(response);
    expect(await ledger.result(2).catch((error: unknown) => error)).toBe(failure.error);
    expect(await ledger.result(3)).toBe(7);
    expect(await codeOf(ledger.result(4))).toBe('unknown-invocation');
  });

  test('a tick that is replaced makes room', async () => {
    const ledger = settled(0);
    const first = { id: 1 };
    ledger.settle(success(1, first), ROOM / 2);
    for (let id = 2; id < 20; id += 1) ledger.settleTick(50, success(id, 'tick'), ROOM / 2);
    expect(await ledger.result(1)).toBe(first);
    expect(await ledger.result(19)).toBe('tick');
  });
});

describe('of a loop', () => {
  test('only the newest tick is known', async () => {
    const ledger = new Ledger();
    ledger.settleTick(50, success(1), 0);
    ledger.settleTick(50, success(2), 0);
    expect(await codeOf(ledger.result(1))).toBe('unknown-invocation');
    expect(await ledger.result(2)).toBe('answer 2');
  });

  test('the ticks are apart from those of another, and from calls', async () => {
    const ledger = settled(1);
    ledger.settleTick(50, success(2), 0);
    ledger.settleTick(51, success(3), 0);
    ledger.settleTick(50, success(4), 0);
    const known = await Promise.all([1, 2, 3, 4].map((id) => codeOf(ledger.result(id))));
    expect(known).toEqual(['fulfilled', 'unknown-invocation', 'fulfilled', 'fulfilled']);
  });

  test('that has ended the last tick stays known', async () => {
    const ledger = new Ledger();
    ledger.settleTick(50, success(1), 0);
    ledger.closeLoop(50);
    ledger.settleTick(50, success(2), 0);
    expect(await Promise.all([ledger.result(1), ledger.result(2)])).toEqual(['answer 1', 'answer 2']);
  });

  test('a thousand ticks push no call out', async () => {
    const ledger = settled(1);
    for (let id = 2; id <= LIMITS.results + 2; id += 1) ledger.settleTick(5_000, success(id), 0);
    expect(await ledger.result(1)).toBe('answer 1');
  });
});
