import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../shared/limits.ts';
import { foundIn, lookUp, lookUpAll } from '../contracts/response-store.ts';
import type { LoopState, LoopStore, NewEntry } from '../contracts/loop-store.ts';
import { MemoryLoops } from '../storage/loops.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { VolatileLog } from './volatile-log.ts';

class Stage {
  readonly #loops = new MemoryLoops(new VirtualClock());
  readonly stored: LoopStore = {
    find: (key) => lookUp(() => this.#loops.find(key)),
    save: (record) => this.#loops.save(record),
    append: (record, added) => this.#loops.append(record, added),
    entries: (key, after, limit) => lookUpAll(() => this.#loops.entries(key, after, limit)),
    prune: (key, upTo, patience) => this.#loops.prune(key, upTo, patience),
  };
  readonly log: VolatileLog = new VolatileLog(this.stored, () => 'another');

  async append(offset: number, isVolatile: boolean, size = 1): Promise<void> {
    const record = state({ cursor: String(offset), last: offset });
    await this.log.append(record, entry(offset, isVolatile, size), null);
  }

  async offsets(after = 0): Promise<number[]> {
    const entries = foundIn(await this.log.entries('key', after, 2_000)) ?? [];
    return entries.map(({ offset }) => offset);
  }

  /** What the next worker instance finds. */
  async found(): Promise<[cursor: string | null, log: string, entries: number] | null> {
    const record = foundIn(await this.stored.find('key'));
    const entries = foundIn(await this.stored.entries('key', 0, 2_000)) ?? [];
    return record && [record.cursor, record.log, entries.length];
  }
}

function state(differing: Partial<LoopState> = {}): LoopState {
  return {
    key: 'key',
    failures: 0,
    notBefore: 0,
    failure: null,
    cursor: null,
    log: 'log',
    last: 0,
    answeredAt: 0,
    ...differing,
  };
}

function entry(offset: number, isVolatile: boolean, size: number): NewEntry {
  const failure = { code: 'network', message: `secret ${offset}` } as const;
  const outcome = { kind: 'failed', failure, answer: null, request: null } as const;
  return { offset, outcome, size, ...(isVolatile && { isVolatile }) };
}

describe('from the first answer that must not be stored', () => {
  test('the log goes on in memory, and the stored cursor stays', async () => {
    const stage = new Stage();
    await stage.append(1, false);
    await stage.append(2, false);
    expect(await stage.found()).toEqual(['2', 'log', 2]);
    await stage.append(3, true);
    await stage.append(4, false);
    expect(await stage.offsets()).toEqual([1, 2, 3, 4]);
    expect(await stage.offsets(3)).toEqual([4]);
    expect(await stage.found()).toEqual(['2', 'another', 0]);
  });

  test('whatever else is noted of the loop is stored without what follows', async () => {
    const stage = new Stage();
    await stage.append(1, false);
    await stage.append(2, true);
    await stage.log.save(state({ cursor: '2', last: 2, failures: 3 }), null);
    expect(await stage.found()).toEqual(['1', 'another', 0]);
    expect(foundIn(await stage.stored.find('key'))).toMatchObject({ failures: 3, last: 0 });
    expect(await stage.offsets()).toEqual([1, 2]);
  });

  test('it is so until another log begins', async () => {
    const stage = new Stage();
    await stage.append(1, true);
    await stage.log.save(state({ log: 'new', cursor: '7' }), null);
    expect(await stage.offsets()).toEqual([]);
    expect(await stage.found()).toEqual(['7', 'new', 0]);
  });

  test('or until it is read again, for another engine may have gone on', async () => {
    const stage = new Stage();
    await stage.append(1, false);
    await stage.append(2, true);
    expect(foundIn(await stage.log.find('key'))).toMatchObject({ cursor: '1', log: 'another' });
    expect(await stage.offsets()).toEqual([]);
  });

  test('entries go once all pages have them', async () => {
    const stage = new Stage();
    for (const offset of [1, 2, 3]) await stage.append(offset, true);
    await stage.log.prune('key', 2, 1_000, null);
    expect(await stage.offsets()).toEqual([3]);
  });

  test('there are no more of them, and no more bytes, than in a stored log', async () => {
    const stage = new Stage();
    for (let offset = 1; offset <= LIMITS.feedEntries + 5; offset += 1) await stage.append(offset, true);
    expect((await stage.offsets())[0]).toBe(6);
    await stage.append(LIMITS.feedEntries + 6, true, LIMITS.feedBytes + 1);
    expect(await stage.offsets()).toEqual([LIMITS.feedEntries + 6]);
  });

  test('nothing goes on where the log before cannot be read', async () => {
    const stage = new Stage();
    await stage.append(1, false);
    stage.stored.entries = async () => ({ kind: 'unknown', error: new Error('late') });
    await expect(stage.append(2, true)).rejects.toThrow('late');
    expect(foundIn(await stage.stored.find('key'))).toMatchObject({ cursor: '1', log: 'log' });
  });
});
