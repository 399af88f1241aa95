import { expose } from 'comlink';
import { afterEach, describe, expect, test } from 'vitest';
import { BareEnd, cloned, settle } from './channel.fixture.ts';
import { Channel } from './channel.ts';

/** What a message has done to the side that it was sent to. */
interface Damage {
  readonly ran: readonly string[];
  readonly replies: readonly unknown[];
  readonly threw: boolean;
  /** Properties that every object has now. */
  readonly polluted: readonly string[];
  readonly prototypeChanged: boolean;
  /** Whether an honest call is still answered. */
  readonly alive: boolean;
}

const UNHARMED: Damage = {
  ran: [],
  replies: [],
  threw: false,
  polluted: [],
  prototypeChanged: false,
  alive: true,
};

const HONEST = { id: 'honest', type: 'APPLY', path: ['greet'], argumentList: [] };

function raw(value: unknown): object {
  return { type: 'RAW', value };
}

function apply(path: readonly unknown[], ...argumentList: readonly unknown[]): Record<string, unknown> {
  return { id: 'attack', type: 'APPLY', path, argumentList };
}

/** One side that may be called `greet`, and has more. */
class Victim {
  readonly ran: string[] = [];
  readonly depths: { run(): void };

  constructor() {
    this.depths = { run: () => void this.ran.push('depths.run') };
  }

  greet(...given: readonly unknown[]): string {
    if (given.length > 0) this.ran.push('greet');
    return 'Hello';
  }

  close(): void {
    this.ran.push('close');
  }
}

const OPEN_PORTS: { close(): void }[] = [];

/** Clones as posting does, and closes the ports that get away. */
function posted(message: unknown, transfer: readonly object[]): unknown {
  const clone = cloned(message, transfer);
  const value: unknown = Reflect.get(Object(clone), 'value');
  if (value instanceof MessagePort) OPEN_PORTS.push(value);
  return clone;
}

type Receiver = (victim: Victim, send: (reply: unknown) => void) => (message: unknown) => void;

const bare: Receiver = (victim, send) => {
  const end = new BareEnd((message, transfer) => send(posted(message, transfer)));
  expose(victim, end);
  return (message) => end.receive(message);
};

const guarded: Receiver = (victim, send) => {
  const channel = new Channel(['greet'], (message, transfer) => send(posted(message, transfer)));
  expose(victim, channel.incoming);
  return (message) => void channel.receive(message);
};

async function attack(receiver: Receiver, message: unknown): Promise<Damage> {
  const victim = new Victim();
  const replies: unknown[] = [];
  const before = Object.getOwnPropertyNames(Victim.prototype).join(' ');
  const receive = receiver(victim, (reply) => replies.push(reply));
  let threw = false;
  try {
    receive(message);
  } catch {
    threw = true;
  }
  await settle();
  const answered = [...replies];
  const ran = [...victim.ran];
  receive(HONEST);
  await settle();
  return {
    ran,
    replies: answered,
    threw,
    polluted: Object.keys(Object.prototype),
    prototypeChanged: Object.getOwnPropertyNames(Victim.prototype).join(' ') !== before,
    alive: replies.length > answered.length,
  };
}

async function handPort(receiver: Receiver): Promise<Damage> {
  const { port1, port2 } = new MessageChannel();
  OPEN_PORTS.push(port1, port2);
  return attack(receiver, apply(['greet'], { type: 'HANDLER', name: 'proxy', value: port2 }));
}

const PORT = { type: 'HANDLER', name: 'proxy', value: expect.any(MessagePort) };

/** Each with the least that it does to a bare `expose`: without the guard, the test of the guard fails. */
const ATTACKS: readonly (readonly [string, object, object])[] = [
  [
    'a function made from text',
    { ...apply(['constructor', 'constructor'], raw('return 1')), type: 'CONSTRUCT' },
    { replies: [PORT] },
  ],
  ['a class made anew', { ...apply(['constructor']), type: 'CONSTRUCT' }, { replies: [PORT] }],
  [
    'text compiled through constructor',
    apply(['constructor', 'constructor'], raw('throw 1')),
    { replies: [{ id: 'attack' }] },
  ],
  [
    'every object changed through __proto__',
    { ...apply(['__proto__', '__proto__', 'owned']), type: 'SET', value: raw(1) },
    { polluted: ['owned'] },
  ],
  [
    'a class changed through constructor',
    { ...apply(['constructor', 'prototype', 'owned']), type: 'SET', value: raw(1) },
    { prototypeChanged: true },
  ],
  [
    'a method overwritten',
    { ...apply(['greet']), type: 'SET', value: raw(1) },
    { replies: [{ value: true }] },
  ],
  ['a property read', { ...apply(['ran']), type: 'GET' }, { replies: [{ value: [] }] }],
  ['a port asked for', { ...apply([]), type: 'ENDPOINT' }, { replies: [{ value: expect.any(MessagePort) }] }],
  ['an end made to the line', { ...apply([]), type: 'RELEASE' }, { alive: false }],
  ['a method that is not offered', apply(['close']), { ran: ['close'] }],
  ['a deep path', apply(['depths', 'run']), { ran: ['depths.run'] }],
  [
    'an offered method through call',
    apply(['greet', 'call'], raw(null), raw(1)),
    { replies: [{ id: 'attack' }] },
  ],
  ['a function on the prototype', apply(['hasOwnProperty'], raw('greet')), { replies: [{ value: false }] }],
  ['a call without id', { ...apply(['greet'], raw(1)), id: undefined }, { ran: ['greet'] }],
  ['a call with a number for an id', { ...apply(['greet'], raw(1)), id: 7 }, { ran: ['greet'] }],
  ['a call with an object for an id', { ...apply(['greet'], raw(1)), id: { a: 1 } }, { ran: ['greet'] }],
  [
    'an argument that throws',
    apply(['greet'], { type: 'HANDLER', name: 'throw', value: { isError: false, value: 1 } }),
    { threw: true },
  ],
  [
    'an argument for an unknown handler',
    apply(['greet'], { type: 'HANDLER', name: 'nobody', value: 1 }),
    { threw: true },
  ],
  [
    'an argument for a handler named constructor',
    apply(['greet'], { type: 'HANDLER', name: 'constructor' }),
    { threw: true },
  ],
  ['arguments that are no list', { ...apply(['greet']), argumentList: 'text' }, { threw: true }],
  ['a path that is none', { ...apply(['greet']), path: { slice: 1 } }, { replies: [{ id: 'attack' }] }],
];

afterEach(() => {
  for (const port of OPEN_PORTS.splice(0)) port.close();
  Reflect.deleteProperty(Object.prototype, 'owned');
  Reflect.deleteProperty(Victim.prototype, 'owned');
});

describe('harms a bare expose:', () => {
  test.each(ATTACKS)('%s', async (_name, message, harm) => {
    expect(await attack(bare, message)).toMatchObject(harm);
  });
});

describe('does nothing behind a channel:', () => {
  test.each(ATTACKS)('%s', async (_name, message) => {
    expect(await attack(guarded, message)).toEqual(UNHARMED);
  });
});

describe('a port among the arguments', () => {
  test('reaches the callee of a bare expose', async () => {
    expect((await handPort(bare)).ran).toEqual(['greet']);
  });

  test('reaches nobody behind a channel', async () => {
    expect(await handPort(guarded)).toEqual(UNHARMED);
  });
});

test('an honest call passes the same channel', async () => {
  const damage = await attack(guarded, apply(['greet'], raw(1)));
  expect(damage).toEqual({ ...UNHARMED, ran: ['greet'], replies: [{ id: 'attack', ...raw('Hello') }] });
});
