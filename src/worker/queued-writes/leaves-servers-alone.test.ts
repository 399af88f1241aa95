import { describe, expect, test } from 'vitest';
import type { Command } from '../../shared/protocol.ts';
import { json } from '../platform/system.fixture.ts';
import { EDIT, OutboxStage, rounds, waitFor } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';

const BUSY = (): Response => json({}, { 'Retry-After': '600' }, 503);
const [ONE, TWO] = [`temporary-${'1'.repeat(32)}`, `temporary-${'2'.repeat(32)}`];
const JSON_TYPE = { headers: [['Content-Type', 'application/json']] } as const;

function discard(entry: string): Command {
  return { kind: 'decide', entry, decision: { kind: 'discard' } };
}

/** A stage whose server wants to be left alone for ten minutes, as the first write that `queue` queues is told. */
async function busy(
  queue: (tab: OutboxTab) => Promise<unknown>,
): Promise<{ stage: OutboxStage; tab: OutboxTab }> {
  const stage = new OutboxStage();
  const tab = stage.open();
  stage.answer = BUSY;
  await queue(tab);
  await stage.failed(tab, 1);
  stage.answer = () => null;
  return { stage, tab };
}

async function two(tab: OutboxTab): Promise<void> {
  await tab.queue(1, 'Dusk');
  await tab.queue(2, 'Dawn');
}

/** What is performed within the ten minutes, and by the end of some more. */
async function performed(stage: OutboxStage): Promise<readonly (readonly string[])[]> {
  await rounds();
  await waitFor(stage, 500_000);
  const early = [...stage.performed];
  await waitFor(stage, 300_000);
  return [early, stage.performed];
}

describe('a server that wants to be left alone for ten minutes is, though the first of the lane is discarded', () => {
  test('with a dependent of the discarded one in between', async () => {
    const { stage, tab } = await busy(async (each) => {
      await each.queue(1, 'Dusk', {}, { creates: { temporaryId: ONE, at: '/id' } });
      await each.queue(2, JSON.stringify({ of: ONE }), JSON_TYPE);
      await each.queue(3, 'Dawn');
    });
    await tab.remote.control(discard('entry-1'));
    expect(await performed(stage)).toEqual([[], ['Dawn']]);
  });

  test('with one beside the lane, that waits for what is in review', async () => {
    const stage = new OutboxStage();
    const tab = stage.open();
    stage.answer = () => json({}, {}, 422);
    await tab.queue(1, 'Refused', {}, { creates: { temporaryId: ONE, at: '/id' } });
    await tab.heard('entry-1 review');
    stage.answer = BUSY;
    await tab.queue(2, JSON.stringify({ of: ONE }), JSON_TYPE);
    await tab.queue(3, 'Dusk');
    await tab.queue(4, 'Dawn');
    const isTried = async (): Promise<boolean> =>
      (await tab.list()).some(
        ({ entry, attempts, state }) => entry === 'entry-3' && attempts === 1 && state === 'queued',
      );
    for (let look = 0; look < 100 && !(await isTried()); look += 1) await rounds(1);
    stage.answer = () => null;
    await tab.remote.control(discard('entry-3'));
    expect(await performed(stage)).toEqual([[], ['Dawn']]);
  });

  test('right as the next worker begins', async () => {
    const { stage } = await busy(two);
    stage.restart();
    const next = stage.open();
    next.meet();
    await next.remote.control(discard('entry-1'));
    expect(await performed(stage)).toEqual([[], ['Dawn']]);
  });

  test('right before the worker ends', async () => {
    const { stage, tab } = await busy(two);
    await tab.remote.control(discard('entry-1'));
    await waitFor(stage, 1_000);
    stage.restart();
    stage.open().meet();
    expect(await performed(stage)).toEqual([[], ['Dawn']]);
  });

  test('and the second in the same moment', async () => {
    const { stage, tab } = await busy(async (each) => {
      await two(each);
      await each.queue(3, 'Noon');
    });
    await Promise.all(['entry-1', 'entry-2'].map((entry) => tab.remote.control(discard(entry))));
    expect(await performed(stage)).toEqual([[], ['Noon']]);
  });

  test('and the second is edited in the same moment', async () => {
    const { stage, tab } = await busy(two);
    const decision = { ...EDIT, body: { kind: 'text', text: 'Dawn!' } } as const;
    await Promise.all([
      tab.remote.control(discard('entry-1')),
      tab.remote.control({ kind: 'decide', entry: 'entry-2', decision }),
    ]);
    expect(await performed(stage)).toEqual([[], ['Dawn!']]);
  });

  test('and the network is said to be back', async () => {
    const { stage, tab } = await busy(two);
    await tab.remote.control(discard('entry-1'));
    await tab.remote.control({ kind: 'online' });
    expect(await performed(stage)).toEqual([[], ['Dawn']]);
  });

  test('and what goes next is queued only afterwards', async () => {
    const { stage, tab } = await busy((each) => each.queue(1, 'Dusk'));
    await tab.remote.control(discard('entry-1'));
    await waitFor(stage, 1_000);
    await tab.queue(2, 'Dawn');
    expect(await performed(stage)).toEqual([[], ['Dawn']]);
  });

  test('or edited, so that it waits for a later one', async () => {
    const { stage, tab } = await busy(async (each) => {
      await each.queue(1, '{}', JSON_TYPE);
      await each.queue(2, 'Dawn', {}, { creates: { temporaryId: TWO, at: '/id' } });
    });
    const body = { kind: 'text', text: JSON.stringify({ of: TWO }) } as const;
    await tab.remote.control({ kind: 'decide', entry: 'entry-1', decision: { ...EDIT, body } });
    await rounds();
    await waitFor(stage, 500_000);
    expect(stage.performed).toEqual([]);
  });

  test('unless somebody wants the next one to go', async () => {
    const { stage, tab } = await busy(two);
    await tab.remote.control(discard('entry-1'));
    await tab.remote.control({ kind: 'decide', entry: 'entry-2', decision: { kind: 'retry' } });
    await tab.heard('entry-2 done');
    expect(stage.performed).toEqual(['Dawn']);
  });
});
