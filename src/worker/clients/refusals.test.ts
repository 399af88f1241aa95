import { describe, expect, test } from 'vitest';
import type { Failure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import { refusalIn } from '../../shared/guard.ts';
import { failed } from '../contracts/outcome.fixture.ts';
import { submission } from '../tab.fixture.ts';
import type { Tab } from '../tab.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Reception } from './reception.fixture.ts';

/** Why a call was not let in; null where it was. */
async function refused(call: Promise<unknown>): Promise<Failure | null> {
  try {
    await call;
    return null;
  } catch (error) {
    return refusalIn(error);
  }
}

function open(): Reception {
  const reception = new Reception();
  reception.grantLock(null);
  return reception;
}

const MALFORMED = submission(2, { method: 'GET /' });

describe('a malformed message', () => {
  test('is answered with what is wrong with it, and has no effect', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    const nameless = { ...submission(1), id: 0 };
    expect(await refused(tab.remote.submit([submission(2), nameless]))).toEqual({
      code: 'protocol',
      message: expect.stringContaining('submissions[1].id must be a whole number from 1'),
    });
    const interval = await refused(tab.remote.control({ kind: 'pace', loop: 1, interval: 1 }));
    expect(interval?.message).toContain('command.interval must be a number from 100');
    expect(reception.pending).toEqual([]);
    expect(reception.clients.inspect()).toEqual([]);
    expect(await tab.greet()).toMatchObject({ kind: 'welcome' });
  });

  test('does not begin a session', async () => {
    const reception = open();
    const tab = reception.tab();
    expect(await refused(tab.greet(0))).toMatchObject({ code: 'protocol' });
    expect(await tab.remote.submit([MALFORMED])).toEqual({ declined: [], stranger: true });
    expect(await tab.remote.control({ kind: 'online' })).toEqual({ kind: 'stranger' });
    expect(reception.clients.size).toBe(0);
  });

  test('that is one call of a batch is refused at once, however long the others take', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    const text = 'x'.repeat(LIMITS.messageSize + 1);
    const large = submission(2, { method: 'POST', body: { kind: 'text', text } });
    const receipt = await Promise.race([tab.remote.submit([submission(1), large]), settle()]);
    expect(receipt).toMatchObject({ refused: [{ id: 2, failure: { code: 'limit' } }] });
    reception.pending[0]?.answer();
    await settle();
    expect(tab.settled).toEqual([1]);
  });

  test('that is one call of a batch is named by the receipt, and the others are taken', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    reception.ready = failed('offline');
    const receipt = await tab.remote.submit([submission(1), MALFORMED, submission(3)]);
    expect(receipt.refused).toEqual([
      {
        id: 2,
        failure: {
          code: 'protocol',
          message: expect.stringContaining('submission.invocation.method must be an HTTP token'),
        },
      },
    ]);
    await settle();
    expect(tab.settled).toEqual([1, 3]);
  });

  test('that is no call at all leaves no trace and gets no answer', async () => {
    const reception = open();
    const tab = reception.tab();
    for (const message of [
      undefined,
      { type: 'RAW', id: 'x', value: 1 },
      { type: 'GET', id: 'x', path: [] },
    ]) {
      await tab.post({ offstage: 'session 1', message });
    }
    expect(reception.clients.size).toBe(0);
  });
});

/** A client with as many sessions as it may have, each with a call under way. */
async function full(): Promise<{ readonly reception: Reception; readonly third: Tab }> {
  const reception = open();
  const tabs: Tab[] = [];
  for (let nth = 1; nth <= LIMITS.sessions; nth += 1) {
    const tab = reception.tab('client 1', `session ${nth}`);
    await tab.greet();
    await tab.submit(1);
    tabs.push(tab);
  }
  return { reception, third: tabs[2] ?? reception.tab() };
}

describe(`a client has at most ${LIMITS.sessions} sessions`, () => {
  test('and hears of it at the next one’s greeting; other clients are served', async () => {
    const { reception } = await full();
    const next = reception.tab('client 1', 'one more');
    expect(await refused(next.greet())).toMatchObject({ code: 'limit', limit: 'sessions', value: 16 });
    expect(await refused(reception.tab('client 2').greet())).toBeNull();
    expect(reception.clients.size).toBe(LIMITS.sessions + 1);
  });

  test('not counting one that is closed, of which nothing is left', async () => {
    const { reception, third } = await full();
    const next = reception.tab('client 1', 'one more');
    void third.remote.control({ kind: 'leave' });
    await settle();
    expect(await refused(next.greet())).toMatchObject({ limit: 'sessions' });
    void third.remote.control({ kind: 'close' });
    await settle();
    expect(reception.pending.map(({ signal }) => signal.aborted).indexOf(true)).toBe(2);
    expect(await refused(next.greet())).toBeNull();
    expect(reception.clients.size).toBe(LIMITS.sessions);
  });
});

test(`a session has at most ${LIMITS.calls} calls under way: one more fails alone`, async () => {
  const reception = open();
  const tab = reception.tab();
  await tab.submit(...Array.from({ length: LIMITS.calls }, (_, index) => index + 1));
  await tab.submit(LIMITS.calls + 1);
  await settle();
  const failure = { code: 'limit', limit: 'calls', value: LIMITS.calls };
  expect(tab.deliveries).toMatchObject([{ id: LIMITS.calls + 1, outcome: { kind: 'failed', failure } }]);
  expect(reception.pending).toHaveLength(LIMITS.calls);
  reception.pending[0]?.answer();
  await settle();
  await tab.submit(LIMITS.calls + 1);
  expect(reception.pending).toHaveLength(LIMITS.calls + 1);
});

describe('a message', () => {
  test(`has at most ${LIMITS.batch} calls`, async () => {
    const reception = open();
    const batch = Array.from({ length: LIMITS.batch + 1 }, (_, index) => submission(index + 1));
    const failure = await refused(reception.tab().remote.submit(batch));
    expect(failure).toMatchObject({ code: 'limit', limit: 'batch', value: LIMITS.batch });
    expect(reception.pending).toEqual([]);
  });

  test('may have calls that are too large together: each is weighed by itself', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    const half = { kind: 'bytes', bytes: new ArrayBuffer(LIMITS.messageSize / 2) } as const;
    const post = (id: number): ReturnType<typeof submission> =>
      submission(id, { method: 'POST', body: half });
    expect(await tab.submitAll([post(1), post(2)])).toBeNull();
    expect(reception.pending).toHaveLength(2);
  });
});
