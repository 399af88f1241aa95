import { expose, releaseProxy, wrap } from 'comlink';
import type { Remote } from 'comlink';
import { describe, expect, test } from 'vitest';
import { settle, Wire } from './channel.fixture.ts';
import { Channel } from './channel.ts';

interface Greeter {
  readonly state: number;
  greet(name: string): Promise<string>;
  fail(): Promise<never>;
  take(bytes: ArrayBuffer): Promise<number>;
  hidden(): Promise<void>;
}

const greeter = {
  state: 1,
  greet: (name: string): string => `Hello ${name}`,
  fail: (): never => {
    throw new RangeError('too far');
  },
  take: (bytes: ArrayBuffer): number => bytes.byteLength,
  hidden: (): never => {
    throw new Error('must not run');
  },
};

function wired(): { readonly wire: Wire; readonly remote: Remote<Greeter> } {
  const wire = new Wire(['greet'], ['greet', 'fail', 'take']);
  expose(greeter, wire.worker.incoming);
  return { wire, remote: wrap<Greeter>(wire.page.outgoing) };
}

/** What has become of a promise once everything is done that can be done. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = 'pending';
  promise.then(
    () => (state = 'fulfilled'),
    () => (state = 'rejected'),
  );
  await settle();
  return state;
}

describe('with Comlink on both ends', () => {
  test('a call passes, and its value comes back', async () => {
    const { remote } = wired();
    expect(await remote.greet('Ada')).toBe('Hello Ada');
  });

  test('what a call throws comes back as an error', async () => {
    const { remote } = wired();
    await expect(remote.fail()).rejects.toMatchObject({ name: 'RangeError', message: 'too far' });
  });

  test('a call that is told is made, and not answered, whatever comes of it', async () => {
    const { wire } = wired();
    const names: string[] = [];
    expose({ greet: (name: string): string => (names.push(name), 'heard') }, wire.page.incoming);
    wire.worker.tell('greet', 'Ada');
    wire.worker.tell('fail', null);
    const before = wire.log.length;
    await settle();
    expect(names).toEqual(['Ada']);
    expect(wire.log).toHaveLength(before);
  });

  test('a call may be answered at once: nothing that is told after it comes before it', async () => {
    const wire = new Wire(['greet'], ['greet']);
    const heard: string[] = [];
    expose({ greet: (name: string): void => void heard.push(name) }, wire.page.incoming);
    const greet = (name: string): Promise<never> => {
      wire.worker.answerer()(`Hello ${name}`);
      wire.worker.tell('greet', 'told');
      return new Promise(() => {});
    };
    expose({ greet }, wire.worker.incoming);
    heard.push(await wrap<Greeter>(wire.page.outgoing).greet('Ada'));
    await settle();
    expect(heard).toEqual(['Hello Ada', 'told']);
  });

  test('both sides may call each other over the one line', async () => {
    const { wire, remote } = wired();
    expose({ greet: (name: string): string => `Good day ${name}` }, wire.page.incoming);
    const back = wrap<Greeter>(wire.worker.outgoing);
    expect(await Promise.all([remote.greet('Ada'), back.greet('Bob')])).toEqual([
      'Hello Ada',
      'Good day Bob',
    ]);
  });

  test('bytes cross', async () => {
    const { remote } = wired();
    expect(await remote.take(new ArrayBuffer(8))).toBe(8);
  });

  test('a call that the other side does not offer is never answered', async () => {
    const { remote } = wired();
    expect(await stateOf(remote.hidden())).toBe('pending');
  });
});

describe('what one’s own side must not send', () => {
  test('a look at a property does not leave', async () => {
    const { wire, remote } = wired();
    const { state } = remote;
    expect(await stateOf(Promise.resolve(state))).toBe('pending');
    expect(wire.log).toEqual([]);
  });

  test('nor does the release of a proxy, which would wake a worker for nothing', async () => {
    const { wire } = wired();
    const remote = wrap(wire.page.outgoing);
    remote[releaseProxy]();
    await settle();
    expect(wire.log).toEqual([]);
  });
});

describe('closed', () => {
  test('a channel takes nothing in', async () => {
    const { wire, remote } = wired();
    await remote.greet('Ada');
    wire.worker.close();
    expect(wire.worker.receive({ id: 'a', type: 'APPLY', path: ['greet'], argumentList: [] })).toBe(false);
    expect(await stateOf(remote.greet('Ada'))).toBe('pending');
  });

  test('and lets nothing out, not even the answer to an earlier call', async () => {
    const { wire, remote } = wired();
    const answer = remote.greet('Ada');
    wire.worker.incoming.addEventListener('message', () => wire.worker.close());
    expect(await stateOf(answer)).toBe('pending');
    expect(wire.log).toHaveLength(1);
  });
});

describe('muted', () => {
  test('a channel lets nothing out: no call, no answer to a call, no reason why one is not let in', async () => {
    const { wire, remote } = wired();
    expose({ greet: (name: string): string => `Good day ${name}` }, wire.page.incoming);
    const back = wrap<Greeter>(wire.worker.outgoing);
    wire.page.mute();
    const pending = [remote.greet('Ada'), back.greet('Bob')];
    expect(await Promise.all(pending.map(stateOf))).toEqual(['pending', 'pending']);
    expect(wire.log).toHaveLength(1);
    const posted: unknown[] = [];
    const strict = new Channel(
      ['greet'],
      (message) => posted.push(message),
      () => ({ code: 'protocol', message: 'no' }),
    );
    strict.mute();
    strict.receive({ id: 'a', type: 'APPLY', path: ['greet'], argumentList: [] });
    expect(posted).toEqual([]);
  });

  test('it still answers the call that has muted it, and no other', async () => {
    const { wire } = wired();
    const greet = (name: string): string => {
      if (name === 'Bob') wire.page.mute();
      return `Good day ${name}`;
    };
    expose({ greet }, wire.page.incoming);
    const back = wrap<Greeter>(wire.worker.outgoing);
    const answers = [back.greet('Ada'), back.greet('Bob'), back.greet('Cid')];
    expect(await Promise.all(answers.map(stateOf))).toEqual(['fulfilled', 'fulfilled', 'pending']);
    expect(await stateOf(back.greet('Dan'))).toBe('pending');
  });

  test('it leaves unanswered a call that was taken in before', async () => {
    const { wire } = wired();
    const answers: ((greeting: string) => void)[] = [];
    const greet = (): Promise<string> => new Promise((resolve) => answers.push(resolve));
    expose({ greet }, wire.page.incoming);
    const answered = wrap<Greeter>(wire.worker.outgoing).greet('Ada');
    await settle();
    wire.page.mute();
    answers[0]?.('Good day Ada');
    expect(await stateOf(answered)).toBe('pending');
    wire.page.incoming.postMessage({ type: 'RAW', value: 'an answer to nobody' }, []);
    expect(wire.log).toHaveLength(1);
  });

  test('it still takes calls, and the answers to what was asked before', async () => {
    const { wire, remote } = wired();
    const heard: string[] = [];
    expose({ greet: (name: string): void => void heard.push(name) }, wire.page.incoming);
    const answer = remote.greet('Ada');
    wire.page.mute();
    expect(await answer).toBe('Hello Ada');
    void wrap<Greeter>(wire.worker.outgoing).greet('Bob');
    await settle();
    expect(heard).toEqual(['Bob']);
  });
});

test('receiving tells whether a message has passed', () => {
  const { wire } = wired();
  expect(wire.worker.receive({ id: 'a', type: 'RAW', value: 1 })).toBe(true);
  expect(wire.worker.receive({ id: 'a', type: 'APPLY', path: ['hidden'], argumentList: [] })).toBe(false);
  expect(wire.worker.receive('anything else')).toBe(false);
});
