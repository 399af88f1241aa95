import * as fc from 'fast-check';
import { unreachable } from '../../../src/shared/unreachable.ts';
import type { DiskState } from './disk.ts';
import type { CallAction, StatePath } from './page.ts';
import type { ServerState } from './asked.ts';
import type { Plan } from './run.ts';

/** How many pages there are at a time. */
export const PAGES = 3;

/** What is done to pages, worker, disk and server. Pages are counted from 0. */
export type ModelCommand =
  | { readonly kind: 'poll'; readonly page: number; readonly path: StatePath; readonly interval: number }
  | { readonly kind: 'follow'; readonly page: number }
  | { readonly kind: 'stop'; readonly page: number; readonly path: string }
  | {
      readonly kind: 'call';
      readonly page: number;
      readonly action: CallAction;
      readonly name: string;
      readonly timeout: number;
    }
  | { readonly kind: 'thaw'; readonly page: number; readonly first: 'nothing' | 'stop' | 'abort' | 'close' }
  | { readonly kind: PageStep; readonly page: number }
  | { readonly kind: 'kill' }
  | { readonly kind: 'start'; readonly milliseconds: number }
  | { readonly kind: 'server'; readonly state: ServerState }
  | { readonly kind: 'write'; readonly name: string }
  | { readonly kind: 'disk'; readonly state: DiskState }
  | { readonly kind: 'fail-next'; readonly transactions: number }
  | { readonly kind: 'lose' }
  | { readonly kind: 'await' }
  | { readonly kind: 'pass'; readonly milliseconds: number };

/** What a page does, or what is done to it. */
export type PageStep =
  'abort' | 'hide' | 'show' | 'freeze' | 'go-away' | 'disconnect' | 'close' | 'crash' | 'open' | 'update';

const page = fc.nat({ max: PAGES - 1 });
const name = fc.constantFrom('a', 'b');

const SERVER_STATES: readonly (readonly [number, ServerState])[] = [
  [7, 'works'],
  [1, 'slow'],
  [1, 'fails'],
  [1, 'refuses'],
  [2, 'cut'],
];

const DISK_STATES: readonly (readonly [number, DiskState])[] = [
  [4, 'works'],
  [1, 'hangs'],
  [1, 'fails'],
];

/** Each with how often it comes. */
const CHOICES: readonly fc.WeightedArbitrary<ModelCommand>[] = [
  weighed(12, {
    kind: fc.constant('poll' as const),
    page,
    path: fc.constantFrom<StatePath[]>('state/a', 'state/b'),
    interval: fc.constantFrom(2_000, 5_000, 5_000, 20_000, 60_000),
  }),
  weighed(6, { kind: fc.constant('follow' as const), page }),
  weighed(4, {
    kind: fc.constant('stop' as const),
    page,
    path: fc.constantFrom('state/a', 'state/b', 'feed'),
  }),
  weighed(14, {
    kind: fc.constant('call' as const),
    page,
    action: fc.constantFrom<CallAction[]>('get', 'get', 'put', 'put', 'post', 'post', 'patch', 'delete'),
    name,
    timeout: fc.constantFrom(4_000, 30_000),
  }),
  step(3, 'abort'),
  step(2, 'hide'),
  step(4, 'show'),
  step(3, 'freeze'),
  step(2, 'go-away'),
  weighed(12, {
    kind: fc.constant('thaw' as const),
    page,
    first: fc.constantFrom('nothing', 'nothing', 'stop', 'abort', 'close'),
  }),
  step(1, 'disconnect'),
  step(1, 'close'),
  step(1, 'crash'),
  step(8, 'open'),
  step(1, 'update'),
  weighed(5, { kind: fc.constant('kill' as const) }),
  weighed(1, { kind: fc.constant('start' as const), milliseconds: fc.constantFrom(20, 20, 1_500) }),
  ...SERVER_STATES.map(([weight, state]) =>
    weighed(weight, { kind: fc.constant('server' as const), state: fc.constant(state) }),
  ),
  weighed(8, { kind: fc.constant('write' as const), name }),
  ...DISK_STATES.map(([weight, state]) =>
    weighed(weight, { kind: fc.constant('disk' as const), state: fc.constant(state) }),
  ),
  weighed(2, { kind: fc.constant('fail-next' as const), transactions: fc.constantFrom(1, 2) }),
  weighed(1, { kind: fc.constant('lose' as const) }),
  weighed(1, { kind: fc.constant('await' as const) }),
  weighed(26, {
    kind: fc.constant('pass' as const),
    milliseconds: fc.constantFrom(1, 5, 20, 100, 300, 1_000, 2_500, 4_000, 8_000, 32_000),
  }),
];

export function plans(length: number): fc.Arbitrary<Plan<ModelCommand>> {
  return fc.record({
    seed: fc.nat({ max: 2 ** 31 - 1 }),
    commands: fc.array(fc.oneof(...CHOICES), { minLength: length, maxLength: length }),
  });
}

/** The command as a sentence. */
export function sentenceOf(command: ModelCommand): string {
  switch (command.kind) {
    case 'poll':
      return `page ${command.page} polls ${command.path} every ${command.interval} ms`;
    case 'follow':
      return `page ${command.page} follows the feed`;
    case 'stop':
      return `page ${command.page} stops its loop of ${command.path}`;
    case 'call':
      return `page ${command.page} calls ${command.action} of state/${command.name} with a timeout of ${command.timeout} ms`;
    case 'thaw':
      return `page ${command.page} is back, and its handler does: ${command.first}`;
    case 'kill':
      return 'the browser ends the worker';
    case 'start':
      return `a worker takes ${command.milliseconds} ms to start from now on`;
    case 'server':
      return `the server ${SERVER[command.state]} from now on`;
    case 'write':
      return `somebody else writes state/${command.name}`;
    case 'disk':
      return `the disk ${command.state} from now on`;
    case 'fail-next':
      return `the next ${command.transactions} transactions fail`;
    case 'lose':
      return 'all databases are deleted';
    case 'await':
      return 'the server works from now on, and every page that is shown is to have its news';
    case 'pass':
      return `${command.milliseconds} ms pass`;
    case 'abort':
    case 'hide':
    case 'show':
    case 'freeze':
    case 'go-away':
    case 'disconnect':
    case 'close':
    case 'crash':
    case 'open':
    case 'update':
      return `page ${command.page} ${STEPS[command.kind]}`;
    default:
      return unreachable(command);
  }
}

const SERVER: Readonly<Record<ServerState, string>> = {
  works: 'works',
  slow: 'takes 8 s for each answer',
  fails: 'answers 503',
  refuses: 'answers 503 with Retry-After',
  cut: 'cannot be reached',
};

const STEPS: Readonly<Record<PageStep, string>> = {
  abort: 'aborts its newest call',
  hide: 'is hidden',
  show: 'is shown',
  freeze: 'is frozen',
  'go-away': 'goes into the back/forward cache',
  disconnect: 'closes its connection and makes another',
  close: 'is closed',
  crash: 'crashes',
  open: 'is opened, where it is closed',
  update: 'applies an update of the worker',
};

function step(weight: number, kind: PageStep): fc.WeightedArbitrary<ModelCommand> {
  return weighed(weight, { kind: fc.constant(kind), page });
}

function weighed<Command extends ModelCommand>(
  weight: number,
  parts: { [Part in keyof Command]: fc.Arbitrary<Command[Part]> },
): fc.WeightedArbitrary<ModelCommand> {
  return { weight, arbitrary: fc.record(parts) as fc.Arbitrary<Command> };
}
