import { describe, expect, test } from 'vitest';
import { PROTOCOL } from '../../shared/protocol.ts';
import { declaration, every, SILENT } from '../loops/stage.fixture.ts';
import { answered, answeredBytes, failed } from '../contracts/outcome.fixture.ts';
import { submission } from '../tab.fixture.ts';
import { settle, stateOf } from '../platform/virtual-clock.fixture.ts';
import { Reception } from './reception.fixture.ts';

const AGAIN = { revision: null, overdueBy: 0 };
const PAUSES = { kind: 'poll', interval: 1_000, hidden: 'pause' } as const;

function open(): Reception {
  const reception = new Reception();
  reception.grantLock('lock 1');
  return reception;
}

describe('a greeting', () => {
  test('is answered only once the lock is held, and its event is held so long', async () => {
    const reception = new Reception();
    const tab = reception.tab();
    const greeting = tab.greet();
    expect(await stateOf(greeting)).toBe('pending');
    expect(tab.held).toBe(1);
    reception.grantLock('lock 1');
    expect(await greeting).toEqual({
      kind: 'welcome',
      protocol: PROTOCOL,
      instance: 'life 1',
      lock: 'lock 1',
      taken: [],
      identity: { name: null, isSignedIn: false, epoch: 0 },
    });
    await settle();
    expect(tab.held).toBe(0);
  });

  test('is answered without a lock where there are none', async () => {
    const reception = new Reception();
    reception.grantLock(null);
    expect(await reception.tab().greet()).toMatchObject({ kind: 'welcome', lock: null });
  });

  test('agrees on the newest protocol that both speak, and introduces the page each time', async () => {
    const reception = open();
    const tab = reception.tab();
    expect(await tab.greet(PROTOCOL)).toMatchObject({ protocol: PROTOCOL });
    await tab.greet(PROTOCOL + 1);
    tab.wish = { oldest: PROTOCOL };
    expect(await tab.greet(PROTOCOL + 1)).toMatchObject({ protocol: PROTOCOL });
    expect(reception.introduced).toEqual(['client 1 session 1', 'client 1 session 1']);
  });

  test('in another protocol is refused at once', async () => {
    const welcome = await new Reception().tab().greet(PROTOCOL + 1);
    expect(welcome).toMatchObject({ kind: 'refused', failure: { code: 'protocol' } });
  });

  test('says which calls of the session this life has, under way or answered', async () => {
    const reception = open();
    const tab = reception.tab();
    expect(await tab.greet()).toMatchObject({ taken: [] });
    await tab.submit(1, 2);
    expect(await tab.greet()).toMatchObject({ taken: [1, 2] });
    reception.pending[0]?.answer();
    await settle();
    expect(tab.settled).toEqual([1]);
    // It greets before it has heard of that.
    tab.wish = { calls: [1, 2] };
    expect(await tab.greet()).toMatchObject({ taken: [2, 1] });
    tab.wish = {};
    expect(await tab.greet()).toMatchObject({ taken: [2] });
    expect(await reception.tab('client 1', 'session 2').greet()).toMatchObject({ taken: [] });
  });

  test('by a page that has missed something makes this life forget what it has answered, and nothing else', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    await tab.submit(1, 2);
    reception.pending[0]?.answer();
    await settle();
    tab.wish = { resync: true, calls: [1, 2] };
    expect(await tab.greet()).toMatchObject({ taken: [2] });
    await tab.submit(1, 2);
    expect(reception.pending).toHaveLength(3);
    reception.pending[2]?.answer();
    await settle();
    expect(tab.settled).toEqual([1, 1]);
  });

  test('ends what it does not name: loops, and calls without a word', async () => {
    const reception = open();
    const tab = reception.tab();
    for (const loop of [1, 2, 3]) {
      const invocation = { ...declaration().invocation, template: `/${loop}` };
      await tab.declare({ loop, invocation, pace: every(loop * 10_000) });
    }
    await tab.submit(1, 2);
    await settle();
    const invocation = { ...declaration().invocation, template: '/1' };
    tab.wish = { calls: [2], loops: [declaration({ loop: 1, invocation, pace: every(10_000) })], later: [3] };
    await tab.greet();
    await settle();
    expect(reception.pending.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(tab.settled).toEqual([]);
    reception.asked.length = 0;
    await reception.clock.advance(29_000);
    expect(reception.times).toEqual([10_000, 20_000]);
    await reception.clock.advance(2_000);
    expect(reception.times).toEqual([10_000, 20_000, 30_000, 30_000]);
  });

  test('leaves a loop that it names as it is, its request too', async () => {
    const reception = open();
    reception.reply = () => ({ after: 300, outcome: answered() });
    const tab = reception.tab();
    await tab.declare({ pace: every(1_000) });
    await reception.clock.advance(100);
    tab.wish = { loops: [declaration({ pace: every(2_000), again: AGAIN })] };
    await tab.greet();
    await reception.clock.advance(4_500);
    expect(reception.asked.map(({ at, signal }) => [at, signal.aborted])).toEqual([
      [0, false],
      [2_000, false],
      [4_000, false],
    ]);
  });

  test('says whether the page is hidden and whether the network is back', async () => {
    const reception = open();
    reception.random = 0;
    reception.reply = () => ({ after: 0, outcome: failed('network') });
    const tab = reception.tab();
    await tab.declare();
    await reception.clock.advance(100);
    tab.wish = { online: true };
    await tab.greet();
    await settle();
    expect(reception.times).toEqual([0, 100]);
    tab.wish = { online: true, hidden: true, loops: [declaration({ pace: PAUSES })] };
    await tab.greet();
    await reception.clock.advance(600_000);
    expect(reception.times).toEqual([0, 100]);
  });

  test('that an earlier one overtakes is not undone by it', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.submit(1);
    await tab.greet();
    tab.wish = { number: 1, calls: [] };
    expect(await stateOf(tab.greet())).toBe('pending');
    expect(reception.pending.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  test('brings again what did not reach the page', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    await tab.submit(1);
    await settle();
    tab.reachable = false;
    reception.pending[0]?.answer();
    await settle();
    tab.reachable = true;
    expect(tab.settled).toEqual([]);
    await tab.greet();
    await settle();
    expect(tab.settled).toEqual([1]);
  });
});

describe('a submission', () => {
  test('is not taken before the page has greeted this life of the worker', async () => {
    const reception = open();
    const tab = reception.tab();
    const batch = [submission(1), submission(2)];
    expect(await tab.remote.submit(batch)).toEqual({ declined: [], stranger: true });
    await tab.greet(PROTOCOL + 1);
    expect(await tab.remote.submit(batch)).toEqual({ declined: [], stranger: true });
    expect(reception.pending).toEqual([]);
    await tab.greet();
    expect(await tab.submitAll(batch)).toBeNull();
    expect(reception.pending).toHaveLength(2);
  });

  test('is taken once however often it is submitted', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.submit(1);
    await tab.submit(1, 2);
    expect(reception.pending).toHaveLength(2);
    for (const { answer } of reception.pending) answer();
    await settle();
    await tab.submit(1, 2);
    await settle();
    expect(reception.pending).toHaveLength(2);
    expect(tab.settled).toEqual([1, 2]);
  });

  test('is told as settled, with the steps that the page listens for', async () => {
    const reception = open();
    const tab = reception.tab();
    void tab.greet();
    await tab.submitAll([{ ...submission(7), interest: { ...SILENT, sent: true } }]);
    reception.pending[0]?.answer();
    await settle();
    expect(tab.deliveries).toEqual([
      { kind: 'sent', to: { id: 7 }, status: 200, headers: [] },
      { kind: 'settled', id: 7, outcome: answered() },
    ]);
  });

  test('has its event held until all of its batch are answered', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.submit(1, 2);
    await settle();
    expect(tab.held).toBe(1);
    reception.pending[0]?.answer();
    await settle();
    expect(tab.held).toBe(1);
    reception.pending[1]?.answer();
    await settle();
    expect(tab.held).toBe(0);
  });

  test('of which the outcome is ready is told it with its receipt', async () => {
    const reception = open();
    const tab = reception.tab();
    reception.ready = failed('blocked-url');
    await tab.greet();
    const { deliveries = [] } = await tab.remote.submit([submission(1)]);
    expect(deliveries).toMatchObject([{ kind: 'settled', id: 1, outcome: failed('blocked-url') }]);
    await settle();
    expect(tab.deliveries).toEqual([]);
  });

  test('of which the outcome comes in its own time is told it with the receipt, too, which nobody waits for', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    const receipt = tab.remote.submit([submission(1), submission(2)]);
    await settle();
    reception.pending[0]?.answer();
    expect((await receipt).deliveries).toMatchObject([{ kind: 'settled', id: 1 }]);
    reception.pending[1]?.answer();
    await settle();
    expect(tab.deliveries).toMatchObject([{ kind: 'settled', id: 2 }]);
  });

  test('has its receipt without it where the answer is to be acknowledged', async () => {
    const reception = open();
    const tab = reception.tab();
    reception.ready = answeredBytes();
    await tab.greet();
    expect(await tab.remote.submit([submission(1)])).toEqual({ declined: [], stranger: false });
    await settle();
    expect(tab.deliveries).toMatchObject([{ kind: 'settled', id: 1 }]);
  });

  test('is answered before its answer is stored, and has its event held until then', async () => {
    const reception = open();
    const tab = reception.tab();
    reception.delayStoring();
    await tab.submit(1);
    reception.pending[0]?.answer();
    await settle();
    expect(tab.deliveries).toMatchObject([{ kind: 'settled', id: 1 }]);
    expect(tab.held).toBe(1);
    reception.store();
    await settle();
    expect(tab.held).toBe(0);
  });

  test('is aborted alone', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.submit(1, 2);
    await tab.remote.control({ kind: 'abort', ids: [1, 99] });
    await settle();
    expect(reception.pending.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect(tab.deliveries).toEqual([{ kind: 'settled', id: 1, outcome: failed('aborted') }]);
  });
});

describe('a command', () => {
  test('declares, paces, cuts and stops loops', async () => {
    const reception = open();
    reception.reply = () => ({ after: 300, outcome: answered() });
    const tab = reception.tab();
    await tab.declare({ loop: 3, pace: every(10_000) });
    await reception.clock.advance(100);
    await tab.remote.control({ kind: 'cut', loop: 3 });
    await tab.remote.control({ kind: 'pace', loop: 3, interval: 2_000 });
    await tab.remote.control({ kind: 'interest', loop: 3, interest: { ...SILENT, started: true } });
    await reception.clock.advance(4_500);
    await tab.remote.control({ kind: 'stop', loop: 3 });
    await reception.clock.advance(10_000);
    expect(reception.asked.map(({ at, signal }) => [at, signal.aborted])).toEqual([
      [0, true],
      [2_000, false],
      [4_000, false],
    ]);
    expect(tab.deliveries.map(({ kind }) => kind)).toEqual(['tick', 'ticking', 'tick', 'ticking', 'tick']);
  });

  test('of a loop that is not there does nothing', async () => {
    const tab = open().tab();
    await tab.greet();
    const { remote } = tab;
    for (const kind of ['cut', 'stop'] as const) {
      expect(await remote.control({ kind, loop: 9 })).toEqual({ kind: 'done' });
    }
    expect(await remote.control({ kind: 'pace', loop: 9, interval: 1_000 })).toEqual({ kind: 'done' });
    expect(await remote.control({ kind: 'interest', loop: 9, interest: SILENT })).toEqual({ kind: 'done' });
  });

  test('to stay is answered after 20 s, and its event is held so long', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    const stay = tab.remote.control({ kind: 'keepalive', hidden: false, watched: true });
    await reception.clock.advance(19_999);
    expect(await stateOf(stay)).toBe('pending');
    expect(tab.held).toBe(1);
    await reception.clock.advance(1);
    expect(await stay).toEqual({ kind: 'done' });
    await settle();
    expect(tab.held).toBe(0);
  });

  test('before the page has greeted has no effect, and is answered so', async () => {
    const reception = open();
    const tab = reception.tab();
    const { remote } = tab;
    expect(await remote.control({ kind: 'declare', declaration: declaration() })).toEqual({
      kind: 'stranger',
    });
    await tab.greet(PROTOCOL + 1);
    expect(await remote.control({ kind: 'clear-cache' })).toEqual({ kind: 'stranger' });
    await reception.clock.advance(5_000);
    expect([reception.asked, reception.cacheCleared]).toEqual([[], 0]);
  });

  test('that it is hidden counts until it is greeted again, or leaves: then it says so anew', async () => {
    for (const again of ['greeting', 'leaving'] as const) {
      const reception = open();
      const tab = reception.tab();
      await tab.declare();
      await tab.remote.control({ kind: 'visibility', hidden: true });
      await reception.clock.advance(5_000);
      expect(reception.asked).toHaveLength(1);
      // Nobody who has left is answered.
      if (again === 'leaving') void tab.remote.control({ kind: 'leave' });
      await tab.greet();
      const { length } = reception.asked;
      await reception.clock.advance(5_000);
      expect(reception.asked.length).toBeGreaterThan(length + 3);
    }
  });

  test('that the network is back wakes what was cut off', async () => {
    const reception = open();
    reception.random = 0;
    reception.reply = () => ({ after: 0, outcome: failed('network') });
    const tab = reception.tab();
    await tab.declare();
    await reception.clock.advance(100);
    await tab.remote.control({ kind: 'online' });
    await settle();
    expect(reception.times).toEqual([0, 100]);
  });

  test('to clear the cache is answered when that is done', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.greet();
    expect(await tab.remote.control({ kind: 'clear-cache' })).toEqual({ kind: 'done' });
    expect(reception.cacheCleared).toBe(1);
  });

  test('to inspect is answered with what the worker does', async () => {
    const tab = open().tab();
    await tab.greet();
    const reply = await tab.remote.control({ kind: 'inspect' });
    expect(reply).toMatchObject({ kind: 'inspection', inspection: { instance: 'life 1' } });
  });

  test('to leave has nothing sent to the page until it greets again, then all that it missed', async () => {
    const reception = open();
    const tab = reception.tab();
    await tab.submit(1);
    void tab.remote.control({ kind: 'leave' });
    await settle();
    reception.pending[0]?.answer();
    await settle();
    expect(tab.settled).toEqual([]);
    await tab.greet();
    await settle();
    expect(tab.settled).toEqual([1]);
  });

  test('to leave ends the loops of the page and nothing else', async () => {
    const reception = open();
    const [tab, other] = [reception.tab(), reception.tab('client 2')];
    await tab.declare();
    await other.declare();
    await tab.submit(1);
    void tab.remote.control({ kind: 'leave' });
    await settle();
    await reception.clock.advance(1_500);
    expect(tab.deliveries.filter(({ kind }) => kind === 'tick')).toHaveLength(1);
    expect(other.deliveries).toHaveLength(2);
    expect(reception.pending[0]?.signal.aborted).toBe(false);
  });
});
