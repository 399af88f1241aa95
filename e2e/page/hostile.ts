import {
  altered,
  COMMANDS,
  mayBeMissing,
  partsOf,
  SUBMISSION,
  without,
} from '../../src/shared/messages.fixture.ts';
import type { Random } from '../faults/random.ts';

/** A message and what is transferred along with it. */
export interface Hostile {
  readonly data: unknown;
  readonly transfer: readonly Transferable[];
}

/** What would be seen if any of this ran. */
const CODE = 'globalThis.canary = (globalThis.canary ?? 0) + 1';

const NAMES = ['greet', 'submit', 'control'];
const HARMFUL = [
  'constructor',
  '__proto__',
  'prototype',
  'close',
  'receive',
  'then',
  'toString',
  'call',
  'bind',
];
const TYPES = ['APPLY', 'GET', 'SET', 'CONSTRUCT', 'ENDPOINT', 'RELEASE', 'RAW', 'HANDLER', 'eval'];
const POLLUTION: unknown = JSON.parse(
  '{ "__proto__": { "owned": 1 }, "constructor": { "prototype": { "owned": 1 } }, "kind": "__proto__" }',
);
const REAL: readonly (readonly [name: string, argument: unknown])[] = [
  ['submit', [SUBMISSION]],
  ...Object.values(COMMANDS).map((command): readonly [string, unknown] => ['control', command]),
];

/** One hostile message: for the session named, unless it is made to be nobody's. None of them may have an effect. */
export function hostileMessage(random: Random, session: string): Hostile {
  const make = random.one([
    junk,
    broken,
    broken,
    comlink,
    comlink,
    polluting,
    withPort,
    reply,
    foreign,
    huge,
  ]);
  return make(random, session);
}

function junk(random: Random, session: string): Hostile {
  const data = value(random, 4);
  return random.chance(0.5) ? { data, transfer: [] } : inSession(session, data);
}

/** A real message of which one part is missing, or is something that it cannot be. */
function broken(random: Random, session: string): Hostile {
  const [name, argument] = random.one(REAL);
  const way = random.one(partsOf(argument));
  const replacement = random.one([null, Number.NaN, -1, {}, Number.POSITIVE_INFINITY]);
  const isCut = random.chance(0.3) && !mayBeMissing(way);
  const bad = isCut ? without(argument, way) : altered(argument, way, () => replacement);
  return inSession(session, call([name], [{ type: 'RAW', value: bad }]));
}

/** Every type of message that Comlink knows, along every path but the ones that are offered. */
function comlink(random: Random, session: string): Hostile {
  const path = Array.from({ length: random.between(0, 4) }, () => random.one([...HARMFUL, ...NAMES]));
  const offered = path.length === 1 && NAMES.includes(path[0] ?? '');
  const args = [{ type: 'RAW', value: CODE }];
  const type = offered ? random.one(TYPES.slice(1)) : random.one(TYPES);
  return inSession(session, { ...call(path, args), type, value: { type: 'RAW', value: CODE } });
}

function polluting(random: Random, session: string): Hostile {
  const argument = random.one([POLLUTION, [POLLUTION], { ...Object(POLLUTION), kind: 'declare' }]);
  return inSession(session, call([random.one(['submit', 'control'])], [{ type: 'RAW', value: argument }]));
}

/** An argument that Comlink would make something of: a port to call back through, an error to throw. */
function withPort(random: Random, session: string): Hostile {
  const { port1, port2 } = new MessageChannel();
  port1.close();
  const handler = random.one(['proxy', 'throw', 'constructor', '__proto__', 'nobody']);
  const message = call([random.one(NAMES)], [{ type: 'HANDLER', name: handler, value: port2 }]);
  return { data: { offstage: session, message }, transfer: [port2] };
}

function reply(random: Random, session: string): Hostile {
  const thrown = { type: 'HANDLER', name: 'throw', value: value(random, 2) };
  const message = random.one<object>([{ type: 'RAW', value: value(random, 3) }, thrown]);
  return inSession(session, { id: String(random.next()), ...message });
}

/** What would be a real command, to a session that is not one's own or no session at all. */
function foreign(random: Random): Hostile {
  const token = random.one<unknown>([String(random.next()), '', 'x'.repeat(1_000), 7, null, { toString: 1 }]);
  const command = random.one<object>([
    { kind: 'abort', ids: [1, 2, 3, 4, 5] },
    { kind: 'stop', loop: random.between(1, 5) },
    { kind: 'cut', loop: random.between(1, 5) },
    { kind: 'leave' },
  ]);
  return {
    data: { offstage: token, message: call(['control'], [{ type: 'RAW', value: command }]) },
    transfer: [],
  };
}

/** Lists of billions of holes, thousands of calls with a bad one at the end, names without end: seldom, for they cost. */
function huge(random: Random, session: string): Hostile {
  if (random.chance(0.9)) return broken(random, session);
  const holes: unknown[] = [];
  holes.length = 2 ** 32 - 1;
  const many = [...Array.from({ length: 1_000 }, () => SUBMISSION), null];
  const argument = random.one<unknown>([holes, many, { kind: 'abort', ids: holes }, 'x'.repeat(1_000_000)]);
  const message = call(['submit'], [{ type: 'RAW', value: argument }]);
  const whole = random.one<object>([
    message,
    { ...message, argumentList: holes },
    { ...message, path: holes },
  ]);
  return inSession(session, random.chance(0.2) ? { ...whole, id: 'x'.repeat(1_000_000) } : whole);
}

/** Any plain value, its names among those that do harm. */
function value(random: Random, depth: number): unknown {
  const scalar = random.one<unknown>([null, 0, -1, Number.NaN, 2 ** 53, '', CODE, '__proto__', true, 1n]);
  if (depth === 0 || random.chance(0.3)) return scalar;
  const parts = Array.from({ length: random.between(0, 4) }, () => value(random, depth - 1));
  if (random.chance(0.3)) return parts;
  const names = ['offstage', 'message', 'id', 'type', 'path', 'argumentList', 'kind', ...HARMFUL];
  return Object.fromEntries(parts.map((part) => [random.one(names), part]));
}

function call(path: readonly unknown[], argumentList: readonly unknown[]): Record<string, unknown> {
  return { id: 'hostile', type: 'APPLY', path, argumentList };
}

function inSession(offstage: string, message: unknown): Hostile {
  return { data: { offstage, message }, transfer: [] };
}
