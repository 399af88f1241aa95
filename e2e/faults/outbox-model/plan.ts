import * as fc from 'fast-check';
import { unreachable } from '../../../src/shared/unreachable.ts';
import type { Plan } from '../model/run.ts';

/** How many tabs there are at a time. */
export const TABS = 2;

export type User = 'anna' | 'bert';

export const USERS: readonly User[] = ['anna', 'bert'];

/** All are queued but `like`, which is a plain call. */
export type WriteAction = 'create' | 'rename' | 'remove' | 'love' | 'like';

export type DecisionKind = 'retry' | 'edit' | 'discard';

/**
 * `conflicts`, `refuses` and `forbids`: what it says to writes. `loses`: it performs writes, and their answers are lost.
 * `cut`: there is no network.
 */
export type ServerState =
  'works' | 'slow' | 'fails' | 'conflicts' | 'outdated' | 'refuses' | 'forbids' | 'loses' | 'cut';

/** What is done to tabs, worker and server. Tabs are counted from 0; `pick` chooses among what there is. */
export type OutboxCommand =
  | { readonly kind: 'write'; readonly tab: number; readonly action: WriteAction; readonly pick: number }
  | { readonly kind: 'decide'; readonly tab: number; readonly decision: DecisionKind; readonly pick: number }
  | { readonly kind: 'poll'; readonly tab: number; readonly interval: number }
  | { readonly kind: TabStep; readonly tab: number }
  | { readonly kind: 'sign'; readonly tab: number; readonly user: User | null }
  | { readonly kind: 'elsewhere'; readonly does: 'add' | 'rename' | 'remove'; readonly pick: number }
  | { readonly kind: 'kill'; readonly after: number }
  | { readonly kind: 'lose' }
  | { readonly kind: 'spare'; readonly state: 'works' | 'fails' }
  | { readonly kind: 'server'; readonly state: ServerState }
  | { readonly kind: 'pass'; readonly milliseconds: number };

export type TabStep = 'refresh' | 'stop' | 'subscribe' | 'unsubscribe' | 'open' | 'close' | 'crash';

const tab = fc.nat({ max: TABS - 1 });
const pick = fc.nat({ max: 11 });

const STEPS: readonly (readonly [number, TabStep])[] = [
  [6, 'refresh'],
  [1, 'stop'],
  [3, 'subscribe'],
  [1, 'unsubscribe'],
  [5, 'open'],
  [1, 'close'],
  [1, 'crash'],
];

const SERVER_STATES: readonly (readonly [number, ServerState])[] = [
  [9, 'works'],
  [1, 'slow'],
  [1, 'fails'],
  [1, 'conflicts'],
  [1, 'outdated'],
  [2, 'refuses'],
  [1, 'forbids'],
  [1, 'loses'],
  [2, 'cut'],
];

/** Each with how often it comes. */
const CHOICES: readonly fc.WeightedArbitrary<OutboxCommand>[] = [
  of(28, {
    kind: fc.constant('write' as const),
    tab,
    action: fc.constantFrom<WriteAction[]>(
      ...(['create', 'create', 'create', 'rename', 'rename', 'rename', 'remove', 'love', 'like'] as const),
    ),
    pick,
  }),
  of(6, {
    kind: fc.constant('decide' as const),
    tab,
    decision: fc.constantFrom<DecisionKind[]>('retry', 'edit', 'discard'),
    pick,
  }),
  of(3, { kind: fc.constant('poll' as const), tab, interval: fc.constantFrom(3_000, 5_000, 20_000) }),
  ...STEPS.map(([weight, step]) => of(weight, { kind: fc.constant(step), tab })),
  of(3, {
    kind: fc.constant('sign' as const),
    tab,
    user: fc.constantFrom<(User | null)[]>('anna', 'anna', 'anna', 'bert', 'bert', null),
  }),
  of(3, {
    kind: fc.constant('elsewhere' as const),
    does: fc.constantFrom<('add' | 'rename' | 'remove')[]>('add', 'rename', 'remove'),
    pick,
  }),
  of(5, {
    kind: fc.constant('kill' as const),
    after: fc.constantFrom(0, 1, 2, 2.5, 3, 3.5, 4, 5, 6, 8, 12, 30),
  }),
  of(1, { kind: fc.constant('lose' as const) }),
  of(2, { kind: fc.constant('spare' as const), state: fc.constantFrom('works' as const, 'fails' as const) }),
  ...SERVER_STATES.map(([weight, state]) =>
    of(weight, { kind: fc.constant('server' as const), state: fc.constant(state) }),
  ),
  of(26, {
    kind: fc.constant('pass' as const),
    milliseconds: fc.constantFrom(1, 3, 10, 10, 30, 30, 100, 300, 1_000, 3_000, 8_000, 32_000),
  }),
];

export function outboxPlans(length: number): fc.Arbitrary<Plan<OutboxCommand>> {
  return fc.record({
    seed: fc.nat({ max: 2 ** 31 - 1 }),
    commands: fc.array(fc.oneof(...CHOICES), { minLength: length, maxLength: length }),
  });
}

/** The command as a sentence. */
export function outboxSentenceOf(command: OutboxCommand): string {
  switch (command.kind) {
    case 'write':
      return `tab ${command.tab} calls ${command.action} (row ${command.pick} of those it shows)`;
    case 'decide':
      return `tab ${command.tab} decides: ${command.decision} (write ${command.pick} of those that wait)`;
    case 'poll':
      return `tab ${command.tab} polls every ${command.interval} ms`;
    case 'sign':
      return `tab ${command.tab} signs ${command.user === null ? 'out' : `${command.user} in`}`;
    case 'elsewhere':
      return `somebody else does ${command.does} (row ${command.pick})`;
    case 'kill':
      return `the browser ends the worker ${command.after} ms later`;
    case 'lose':
      return 'the browser ends, and deletes all databases as it starts';
    case 'spare':
      return `the place for copies ${command.state} from now on`;
    case 'server':
      return `the server ${command.state} from now on`;
    case 'pass':
      return `${command.milliseconds} ms pass`;
    case 'refresh':
    case 'stop':
    case 'subscribe':
    case 'unsubscribe':
    case 'open':
    case 'close':
    case 'crash':
      return `tab ${command.tab}: ${command.kind}`;
    default:
      return unreachable(command);
  }
}

function of<Command extends OutboxCommand>(
  weight: number,
  parts: { readonly [Key in keyof Command]: fc.Arbitrary<Command[Key]> },
): fc.WeightedArbitrary<OutboxCommand> {
  return { weight, arbitrary: fc.record(parts) as fc.Arbitrary<Command> };
}
