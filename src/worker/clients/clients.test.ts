import { describe, expect, test } from 'vitest';
import { ROLL_CALL } from '../../shared/deadlines.ts';
import { LIMITS } from '../../shared/limits.ts';
import { answered } from '../contracts/outcome.fixture.ts';
import { submission } from '../tab.fixture.ts';
import type { Tab } from '../tab.fixture.ts';
import { settle } from '../platform/virtual-clock.fixture.ts';
import { Reception } from './reception.fixture.ts';

/** A page that has greeted the worker, and is gone since. */
async function gone(): Promise<{ reception: Reception; tab: Tab }> {
  const reception = new Reception();
  reception.grantLock(null);
  const tab = reception.tab();
  await tab.greet();
  reception.present.delete('client 1');
  return { reception, tab };
}

describe('a page that is gone (invariant 13)', () => {
  test('has no loop and no call left within 10 s, however busy it was', async () => {
    const reception = new Reception();
    const [tab, other] = [reception.tab(), reception.tab('client 2')];
    reception.reply = () => ({ after: 600, outcome: answered() });
    await tab.declare();
    await tab.declare({ loop: 2 });
    await other.declare();
    await tab.submit(1, 2);
    await other.submit(1);
    await reception.clock.advance(1_000);
    reception.present.delete('client 1');
    await reception.clock.advance(10_000);
    expect(reception.pending.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    const asked = reception.asked.length;
    await reception.clock.advance(5_000);
    expect(reception.asked.length - asked).toBe(5);
    expect(reception.clients.size).toBe(1);
  });

  test('is told nothing more', async () => {
    const reception = new Reception();
    const tab = reception.tab();
    await tab.submit(1);
    reception.present.delete('client 1');
    await reception.clock.advance(4_000);
    expect(tab.settled).toEqual([]);
  });

  test('has its writes run to their answers, which it is told when it is back from the page cache', async () => {
    const reception = new Reception();
    reception.grantLock(null);
    const tab = reception.tab();
    await tab.greet();
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
    await tab.submitAll(methods.map((method, index) => submission(index + 1, { method })));
    reception.present.delete('client 1');
    tab.reachable = false;
    await reception.clock.advance(20_000);
    expect(reception.pending.map(({ signal }) => signal.aborted)).toEqual([
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(tab.held).toBe(1);
    for (const { answer } of reception.pending) answer();
    await reception.clock.advance(20_000);
    expect(tab.held).toBe(0);
    reception.present.add('client 1');
    tab.reachable = true;
    expect(await tab.greet()).toMatchObject({ taken: [2, 3, 4, 5] });
    await settle();
    expect(tab.settled).toEqual([2, 3, 4, 5]);
  });

  test('is forgotten when its writes are answered and it can come back no more', async () => {
    const reception = new Reception();
    const tab = reception.tab();
    tab.meet();
    await tab.submitAll([submission(1, { method: 'POST' })]);
    reception.present.delete('client 1');
    tab.reachable = false;
    await reception.clock.advance(20_000);
    reception.pending[0]?.answer();
    await reception.clock.advance(570_000);
    expect(reception.clients.size).toBe(1);
    await reception.clock.advance(20_000);
    expect(reception.clients.size).toBe(0);
  });

  test('has the write taken that it posted in the moment in which it was found to be gone', async () => {
    const { reception, tab } = await gone();
    // A look at it has the answer by now; what it posted before it went comes after that.
    await reception.clock.advance(ROLL_CALL);
    void tab.submitAll([submission(1, { method: 'PATCH' })]);
    await settle();
    expect(reception.pending).toHaveLength(1);
  });

  test('is forgotten in time, though the clock is set back by a day meanwhile', async () => {
    const { reception } = await gone();
    await reception.clock.advance(ROLL_CALL);
    reception.clock.set(-86_400_000);
    await reception.clock.advance(10 * ROLL_CALL);
    expect(reception.clients.size).toBe(0);
  });

  test('is somebody new when it comes again', async () => {
    const { reception, tab } = await gone();
    await reception.clock.advance(2 * ROLL_CALL);
    expect(reception.clients.size).toBe(0);
    reception.present.add('client 1');
    expect(await tab.greet()).toMatchObject({ taken: [] });
  });
});

/** A page that is looked up while it is in the page cache; the browser answers when told to. */
async function lookedUp(): Promise<{ reception: Reception; tab: Tab; answer: (isPresent: boolean) => void }> {
  const reception = new Reception();
  reception.grantLock(null);
  const tab = reception.tab();
  await tab.declare();
  // It is known as long as this is under way.
  await tab.submitAll([submission(1, { method: 'POST' })]);
  reception.ready = answered();
  void tab.remote.control({ kind: 'leave' });
  await settle();
  tab.reachable = false;
  const { lookUp } = reception;
  const answers: ((isPresent: boolean) => void)[] = [];
  reception.lookUp = () => {
    reception.lookUp = lookUp;
    return new Promise((resolve) => answers.push(resolve));
  };
  await reception.clock.advance(4_000);
  return { reception, tab, answer: (isPresent) => answers[0]?.(isPresent) };
}

test.each(['before', 'after'])(
  'a page that is back from the page cache keeps everything, though it is found to be away %s that',
  async (when) => {
    const { reception, tab, answer } = await lookedUp();
    if (when === 'before') answer(false);
    await settle();
    tab.reachable = true;
    await tab.greet();
    // The worker was busy, and hears of it late.
    if (when === 'after') answer(false);
    await settle();
    await tab.submitAll([submission(7)]);
    const asked = reception.asked.length;
    await reception.clock.advance(30_000);
    expect([tab.settled, reception.asked.length - asked]).toEqual([[7], 30]);
  },
);

test('a page that is there though it was found to be gone is to greet, whatever it says', async () => {
  const { reception, tab, answer } = await lookedUp();
  answer(false);
  await settle();
  tab.reachable = true;
  expect(await tab.remote.control({ kind: 'online' })).toEqual({ kind: 'stranger' });
  expect(await tab.remote.submit([submission(7)])).toEqual({ declined: [], stranger: true });
  await tab.greet();
  const asked = reception.asked.length;
  await reception.clock.advance(10_000);
  expect(reception.asked.length - asked).toBe(10);
});

test('a write that is posted as its page goes is sent, though the page was found to be gone before it came', async () => {
  const { tab, answer } = await lookedUp();
  answer(false);
  await settle();
  const calls = [submission(7), submission(8, { method: 'POST' })];
  void tab.remote.submit(calls);
  void tab.remote.control({ kind: 'leave' });
  await settle();
  // It comes back, and finds its writes; what it only reads, it asks for again.
  tab.reachable = true;
  tab.wish = { calls: [1, 7, 8] };
  expect(await tab.greet()).toMatchObject({ taken: [1, 8] });
});

test('a page that is there keeps everything', async () => {
  const reception = new Reception();
  const tab = reception.tab();
  await tab.declare();
  await reception.clock.advance(60_500);
  expect(reception.asked).toHaveLength(61);
  expect(reception.clients.size).toBe(1);
});

test('a page that could not be looked up once is looked up again', async () => {
  const reception = new Reception();
  await reception.tab().declare();
  const { lookUp } = reception;
  reception.lookUp = () => Promise.reject(new Error('no clients today'));
  await reception.clock.advance(9_000);
  expect(reception.clients.size).toBe(1);
  reception.lookUp = lookUp;
  reception.present.delete('client 1');
  await reception.clock.advance(10_000);
  expect(reception.clients.size).toBe(0);
});

test('the roll is called as long as there are pages, and again with the next', async () => {
  const reception = new Reception();
  const first = reception.tab();
  await first.submit(1);
  reception.present.delete('client 1');
  await reception.clock.advance(20_000);
  expect(reception.clients.size).toBe(0);
  const second = reception.tab('client 2');
  await second.submit(1);
  expect(reception.clients.size).toBe(1);
  reception.present.delete('client 2');
  await reception.clock.advance(10_000);
  expect(reception.clients.size).toBe(0);
});

test('two sessions of one client are apart, and end together', async () => {
  const reception = new Reception();
  const [one, two] = [reception.tab('client 1', 'one'), reception.tab('client 1', 'two')];
  await one.submit(1);
  await two.submit(1);
  await one.remote.control({ kind: 'abort', ids: [1] });
  await settle();
  expect(reception.pending.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  expect(one.settled).toEqual([1]);
  expect(two.settled).toEqual([]);
  reception.present.delete('client 1');
  await reception.clock.advance(10_000);
  expect(reception.clients.size).toBe(0);
  expect(reception.pending[1]?.signal.aborted).toBe(true);
});

test('a session of another client is not reached by its token', async () => {
  const reception = new Reception();
  const [tab, thief] = [reception.tab('client 1', 'token'), reception.tab('client 2', 'token')];
  await tab.submit(1);
  await thief.remote.control({ kind: 'abort', ids: [1] });
  await settle();
  expect(reception.pending[0]?.signal.aborted).toBe(false);
});

test('a page whose listener throws is told the rest all the same', async () => {
  const reception = new Reception();
  const tab = reception.tab();
  tab.listener = () => {
    throw new Error('a listener has thrown');
  };
  await tab.submit(1);
  reception.pending[0]?.answer();
  await settle();
  await tab.submit(2);
  reception.pending[1]?.answer();
  await settle();
  expect(tab.settled).toEqual([1, 2]);
});

test('what calls are under way can be looked at', async () => {
  const reception = new Reception();
  await reception.tab().submit(1, 2);
  reception.pending[0]?.answer();
  await settle();
  const since = reception.clock.now();
  expect(reception.clients.inspect()).toEqual([{ action: 'get', method: 'GET', template: '/photo', since }]);
});

describe('that a call was answered is known', () => {
  const ids = Array.from({ length: LIMITS.results + 500 }, (_, index) => index + 1);

  test('as long as its page may not have the answer, however many there are', async () => {
    const reception = new Reception();
    reception.grantLock(null);
    const tab = reception.tab();
    await tab.submit(...ids);
    tab.reachable = false;
    for (const { answer } of reception.pending) answer();
    await settle();
    tab.reachable = true;
    expect(await tab.greet()).toMatchObject({ taken: ids });
  });

  test('no longer than that: a page that makes calls all day leaves nothing behind', async () => {
    const reception = new Reception();
    reception.grantLock(null);
    const tab = reception.tab();
    for (const id of ids) {
      await tab.submit(id);
      reception.pending.at(-1)?.answer();
      await settle();
    }
    tab.wish = { calls: ids };
    const welcome = await tab.greet();
    expect(welcome.kind === 'welcome' && welcome.taken.length).toBeLessThan(20);
  });
});

test('a call is shown with the time of the device, though that was set back before', async () => {
  const reception = new Reception();
  const tab = reception.tab();
  tab.meet();
  await reception.clock.advance(ROLL_CALL);
  reception.clock.set(-86_400_000);
  await reception.clock.advance(ROLL_CALL);
  await tab.submit(1);
  expect(reception.clients.inspect()).toMatchObject([{ since: reception.clock.now() }]);
});
