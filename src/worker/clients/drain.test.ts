import { describe, expect, test } from 'vitest';
import { PROTOCOL } from '../../shared/protocol.ts';
import { every, SILENT } from '../loops/stage.fixture.ts';
import { answered, answeredBytes } from '../contracts/outcome.fixture.ts';
import { submission, Tab } from '../tab.fixture.ts';
import type { Receive } from '../tab.fixture.ts';
import { settle, stateOf } from '../platform/virtual-clock.fixture.ts';
import { Reception } from './reception.fixture.ts';

const DONE = { kind: 'done' };
const DRAINING = { kind: 'draining' };

/** Two pages, of which the first has the worker drained. */
class Stage {
  readonly reception: Reception = new Reception();
  readonly tab: Tab = this.reception.tab();
  readonly other: Tab = this.reception.tab('client 2');
  /** What a drain was answered with, as soon as it is. */
  readonly replies: unknown[] = [];

  constructor() {
    this.reception.grantLock('lock 1');
    for (const tab of [this.tab, this.other]) void tab.greet();
  }

  async drain(tab: Tab = this.tab): Promise<void> {
    void tab.remote.control({ kind: 'drain' }).then((reply) => this.replies.push(reply));
    await settle();
  }

  /** Has the second page call, one call after the other. */
  async call(...methods: readonly string[]): Promise<void> {
    const batch = methods.map((method, index) => submission(index + 1, { method }));
    await this.other.submitAll(batch);
    await settle();
  }

  async answer(...calls: readonly number[]): Promise<void> {
    for (const call of calls) {
      this.reception.pending[call]?.answer();
      await settle();
    }
  }

  /** The calls that were cut. */
  get cut(): boolean[] {
    return this.reception.pending.map(({ signal }) => signal.aborted);
  }

  get held(): number[] {
    return [this.tab.held, this.other.held];
  }
}

/** A page of which the worker hears nothing from some time on, not even that it has taken what it was told. */
function falteringPage({ clients }: Reception): { readonly tab: Tab; readonly fallSilent: () => void } {
  let silent = false;
  const receive: Receive = async (source, envelope) => {
    if (!silent) await clients.receive(source, envelope);
  };
  const tab = new Tab(receive, 'client 1', 'session 2');
  void tab.greet();
  return { tab, fallSilent: () => void (silent = true) };
}

describe('a drain', () => {
  test('is told to every page, once, however many ask for it', async () => {
    const stage = new Stage();
    await stage.call('POST');
    await stage.drain();
    await stage.drain(stage.other);
    expect([stage.tab.deliveries, stage.other.deliveries]).toEqual([[DRAINING], [DRAINING]]);
    expect(stage.replies).toEqual([]);
    await stage.reception.clock.advance(10_000);
    expect(stage.replies).toEqual([DONE, DONE]);
    await stage.drain();
    expect(stage.replies).toEqual([DONE, DONE, DONE]);
    expect(stage.tab.deliveries).toEqual([DRAINING]);
  });

  test('is told at once to a page too that has not acknowledged what it was told last', async () => {
    const stage = new Stage();
    const { tab, fallSilent } = falteringPage(stage.reception);
    await tab.submitAll([1, 2, 3].map((id) => submission(id, { method: 'POST' })));
    fallSilent();
    stage.reception.pending[0]?.answer(answeredBytes());
    await settle();
    await stage.answer(1);
    expect(tab.settled).toEqual([1]);
    await stage.drain(stage.other);
    expect(tab.deliveries.map(({ kind }) => kind)).toEqual(['settled', 'settled', 'draining']);
    expect(stage.replies).toEqual([]);
  });

  test('waits half a second for a page to fall silent that does not say that it has understood', async () => {
    const stage = new Stage();
    const { fallSilent } = falteringPage(stage.reception);
    await settle();
    fallSilent();
    await stage.drain(stage.other);
    await stage.reception.clock.advance(499);
    expect(stage.replies).toEqual([]);
    await stage.reception.clock.advance(1);
    expect(stage.replies).toEqual([DONE]);
  });

  test('is not told to a page that is away, nor waited for: it would cost it the back/forward cache', async () => {
    const stage = new Stage();
    void stage.other.remote.control({ kind: 'leave' });
    await settle();
    await stage.drain();
    expect(stage.replies).toEqual([DONE]);
    expect(stage.other.deliveries).toEqual([]);
  });

  test('is the answer to whoever greets meanwhile, with the lock that tells of the end', async () => {
    const stage = new Stage();
    await stage.call('POST');
    await stage.drain();
    const late = stage.reception.tab('client 3');
    const draining = { kind: 'draining', lock: 'lock 1' };
    expect(await late.greet()).toEqual(draining);
    expect(await stage.other.greet()).toEqual(draining);
    expect(late.held).toBe(0);
    expect(late.deliveries).toEqual([]);
    await stage.answer(0);
    expect([stage.other.settled, stage.replies]).toEqual([[1], [DONE]]);
  });

  test('is told before anybody is let go who asked the worker to stay: nobody asks it again', async () => {
    const stage = new Stage();
    const order: string[] = [];
    for (const tab of [stage.tab, stage.other]) {
      tab.listener = ({ kind }) => order.push(kind);
      const stay = tab.remote.control({ kind: 'keepalive', hidden: false, watched: true });
      void stay.then(({ kind }) => order.push(kind));
    }
    await settle();
    await stage.drain();
    expect(order).toEqual(['draining', 'draining', 'done', 'done']);
  });

  test('ends all loops without a word, and cuts what they have out', async () => {
    const stage = new Stage();
    const { reception, other } = stage;
    await other.declare({ loop: 1, firstIn: 1_000 });
    reception.reply = (nth) => ({ after: nth === 1 ? 60_000 : 0, outcome: answered() });
    await stage.tab.declare({ loop: 1 });
    await stage.drain();
    expect(stage.replies).toEqual([DONE]);
    await reception.clock.advance(9_000);
    expect(reception.asked.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect([stage.tab.deliveries, other.deliveries]).toEqual([[DRAINING], [DRAINING]]);
  });

  test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])(
    'cuts a %s without a word: its page sends it to the next worker',
    async (method) => {
      const stage = new Stage();
      await stage.call(method);
      await stage.drain();
      expect(stage.cut).toEqual([true]);
      expect(stage.replies).toEqual([DONE]);
      expect(stage.other.deliveries).toEqual([DRAINING]);
      expect(stage.held).toEqual([0, 0]);
    },
  );

  test.each(['POST', 'PATCH'])('waits for a %s, and tells how it went', async (method) => {
    const stage = new Stage();
    await stage.call('GET', method);
    await stage.drain();
    expect(stage.cut).toEqual([true, false]);
    await stage.reception.clock.advance(9_999);
    expect([stage.replies, stage.held]).toEqual([[], [1, 1]]);
    await stage.answer(1);
    expect(stage.other.settled).toEqual([2]);
    expect([stage.replies, stage.held]).toEqual([[DONE], [0, 0]]);
  });

  test('waits for all of them, of all pages', async () => {
    const stage = new Stage();
    await stage.tab.submitAll([submission(1, { method: 'POST' })]);
    await stage.call('POST', 'PATCH');
    await stage.drain();
    await stage.answer(0, 2);
    expect(stage.replies).toEqual([]);
    await stage.answer(1);
    expect(stage.replies).toEqual([DONE]);
  });

  test.each(['POST', 'PATCH'])('drops a %s without a word after 10 s', async (method) => {
    const stage = new Stage();
    await stage.call(method);
    await stage.drain();
    await stage.reception.clock.advance(9_999);
    expect([stage.cut, stage.replies]).toEqual([[false], []]);
    await stage.reception.clock.advance(1);
    expect([stage.cut, stage.replies]).toEqual([[true], [DONE]]);
    expect(stage.other.deliveries).toEqual([DRAINING]);
    expect(stage.held).toEqual([0, 0]);
  });

  test('waits for every write of a page that is gone, which cannot send it again', async () => {
    const stage = new Stage();
    await stage.call('POST', 'PUT', 'GET');
    stage.reception.present.delete('client 2');
    await stage.reception.clock.advance(4_000);
    await stage.drain();
    await stage.answer(0);
    expect(stage.replies).toEqual([]);
    await stage.answer(1);
    expect(stage.replies).toEqual([DONE]);
    expect(stage.cut).toEqual([false, false, true]);
  });

  test('waits for every write of a page that was closed just now, however soon that is', async () => {
    const stage = new Stage();
    await stage.call('PUT', 'DELETE', 'GET');
    void stage.other.remote.control({ kind: 'leave' });
    await stage.drain();
    expect(stage.cut).toEqual([false, false, true]);
    await stage.answer(0, 1);
    expect(stage.replies).toEqual([DONE]);
  });

  test('and of one that has crashed, which did not say that it is gone', async () => {
    const stage = new Stage();
    await stage.call('PUT', 'GET');
    stage.reception.present.delete('client 2');
    await stage.drain();
    expect(stage.cut).toEqual([false, true]);
    await stage.answer(0);
    expect(stage.replies).toEqual([DONE]);
  });

  test('has a page that is back from the page cache send its writes again', async () => {
    const stage = new Stage();
    await stage.call('PUT');
    void stage.other.remote.control({ kind: 'leave' });
    await settle();
    await stage.other.greet();
    await stage.drain();
    expect(stage.cut).toEqual([true]);
  });

  test('does not wait for a browser that cannot say which pages there are', async () => {
    const stage = new Stage();
    stage.reception.lookUp = () => new Promise(() => {});
    await stage.call('PUT');
    await stage.drain();
    await stage.reception.clock.advance(500);
    expect([stage.cut, stage.replies]).toEqual([[true], [DONE]]);
  });

  test('tells every answer, though a page that knows of it acknowledges nothing any more', async () => {
    const stage = new Stage();
    const { tab, fallSilent } = falteringPage(stage.reception);
    await tab.submitAll([1, 2, 3].map((id) => submission(id, { method: 'POST' })));
    await stage.drain(stage.other);
    fallSilent();
    await stage.answer(0, 1, 2);
    expect(stage.replies).toEqual([DONE]);
    expect(tab.settled).toEqual([1, 2, 3]);
  });
});

describe('once it is drained', () => {
  test.each([true, false])('no event is held, whether or not pages are watched (%s)', async (watched) => {
    const stage = new Stage();
    const stay = { kind: 'keepalive', hidden: false, watched } as const;
    const stays = [stage.tab, stage.other].map((tab) => tab.remote.control(stay));
    await stage.call('GET', 'POST');
    await stage.other.declare({ pace: { kind: 'long-poll' } });
    await settle();
    await stage.drain();
    await stage.reception.clock.advance(9_999);
    expect(stage.held).toEqual([1, 1]);
    await stage.reception.clock.advance(1);
    expect([stage.replies, stage.held]).toEqual([[DONE], [0, 0]]);
    expect(await Promise.all(stays)).toEqual([DONE, DONE]);
  });

  test.each([true, false])('nobody has the worker stay (watched: %s)', async (watched) => {
    const stage = new Stage();
    await stage.drain();
    const stay = stage.tab.remote.control({ kind: 'keepalive', hidden: false, watched });
    expect(await stateOf(stay)).toBe('pending');
    expect(stage.held).toEqual([0, 0]);
    await stage.reception.clock.advance(9_000);
    expect(await stateOf(stay)).toBe('pending');
  });

  test('that the network is back is not answered: its loops have ended, and the next worker is to hear of it', async () => {
    const stage = new Stage();
    await stage.drain();
    const online = stage.other.remote.control({ kind: 'online' });
    expect(await stateOf(online)).toBe('pending');
    await stage.reception.clock.advance(9_000);
    expect(await stateOf(online)).toBe('pending');
    expect(stage.held).toEqual([0, 0]);
  });

  test('a call is declined, and of no effect', async () => {
    const stage = new Stage();
    await stage.drain();
    expect(await stage.other.submit(1, 2)).toEqual({ declined: [1, 2], stranger: false });
    await settle();
    expect(stage.reception.pending).toEqual([]);
    expect(stage.held).toEqual([0, 0]);
  });

  test('a call is taken by nobody even while another is waited for', async () => {
    const stage = new Stage();
    await stage.call('POST');
    await stage.drain();
    expect(await stage.other.submit(2)).toEqual({ declined: [2], stranger: false });
    expect(stage.reception.pending).toHaveLength(1);
  });

  test.each([PROTOCOL, PROTOCOL + 1])('a greeting in protocol %i is told so', async (protocol) => {
    const stage = new Stage();
    await stage.drain();
    const late = stage.reception.tab('client 2', 'session 2');
    for (const tab of [stage.other, late]) {
      expect(await tab.greet(protocol)).toEqual({ kind: 'draining', lock: 'lock 1' });
      expect(tab.held).toBe(0);
    }
  });

  test('a loop that is declared does not begin', async () => {
    const stage = new Stage();
    await stage.drain();
    await stage.other.declare({ pace: every(1_000) });
    await stage.reception.clock.advance(9_000);
    expect(stage.reception.asked).toEqual([]);
    expect(stage.held).toEqual([0, 0]);
  });

  test('what else is asked is answered: what ends something, and what only looks', async () => {
    const stage = new Stage();
    await stage.call('POST');
    await stage.drain();
    const { remote } = stage.other;
    expect(await remote.control({ kind: 'inspect' })).toMatchObject({ kind: 'inspection' });
    expect(await remote.control({ kind: 'interest', loop: 1, interest: SILENT })).toEqual(DONE);
    expect(await remote.control({ kind: 'abort', ids: [1] })).toEqual(DONE);
    await settle();
    expect([stage.cut, stage.other.settled, stage.replies]).toEqual([[true], [1], [DONE]]);
  });
});

describe('a drained worker that is not replaced', () => {
  test('ends its life after 10 s, once, and forgets its pages', async () => {
    const stage = new Stage();
    const { reception } = stage;
    await stage.drain();
    await stage.drain(stage.other);
    await reception.clock.advance(9_999);
    expect([reception.lives, reception.clients.size]).toEqual([0, 2]);
    await reception.clock.advance(1);
    expect([reception.lives, reception.clients.size]).toEqual([1, 0]);
    await reception.clock.advance(60_000);
    expect(reception.lives).toBe(1);
  });

  test('has its ten seconds from when it was drained on', async () => {
    const stage = new Stage();
    await stage.call('POST');
    await stage.drain();
    await stage.reception.clock.advance(8_000);
    await stage.answer(0);
    await stage.reception.clock.advance(9_999);
    expect(stage.reception.lives).toBe(0);
    await stage.reception.clock.advance(1);
    expect(stage.reception.lives).toBe(1);
  });

  test('tells the pages that it has forgotten nothing more', async () => {
    const stage = new Stage();
    await stage.other.greet();
    await stage.drain();
    await stage.reception.clock.advance(10_000);
    await stage.other.post({ offstage: 'session 1', message: { id: 'a', type: 'RAW', value: 1 } });
    expect(stage.reception.clients.size).toBe(0);
    expect(stage.other.deliveries).toEqual([DRAINING]);
  });
});
