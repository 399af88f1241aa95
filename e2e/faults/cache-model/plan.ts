import * as fc from 'fast-check';
import type { Plan } from '../model/run.ts';
import { unreachable } from '../../../src/shared/unreachable.ts';

/** How many pages there are. */
export const PAGES = 2;

/** The cache policies that calls have; `reload` is the default one that reloads. */
export type PolicyName =
  'default' | 'strict' | 'network-first' | 'cache-first' | 'cache-only' | 'network-only' | 'reload';

export type Language = 'de' | 'en';

/** What the server says of its answers for one name, and how they differ. */
export interface Saying {
  /** Seconds; null where nothing is said. */
  readonly maxAge: number | null;
  readonly forbids: 'nothing' | 'no-cache' | 'no-store' | 'must-revalidate';
  readonly staleIfError: number | null;
  readonly staleWhileRevalidate: number | null;
  readonly vary: 'X-Language' | '*' | null;
  readonly hasEtag: boolean;
}

export type ServerState = 'works' | 'fails' | 'cut' | 'slow';

/** What is done to pages, worker and server. */
export type CacheCommand =
  | {
      readonly kind: 'get';
      readonly page: number;
      readonly name: string;
      readonly language: Language;
      readonly policy: PolicyName;
    }
  | { readonly kind: 'poll'; readonly page: number; readonly name: string; readonly interval: number }
  | { readonly kind: 'stop'; readonly page: number }
  | {
      readonly kind: 'write';
      readonly page: number;
      readonly name: string;
      readonly method: 'PUT' | 'POST' | 'DELETE';
    }
  | { readonly kind: 'sign'; readonly page: number; readonly user: string | null }
  | { readonly kind: 'clear'; readonly page: number }
  | { readonly kind: 'kill' }
  | { readonly kind: 'publish'; readonly name: string }
  | { readonly kind: 'withdraw'; readonly name: string }
  | { readonly kind: 'say'; readonly name: string; readonly saying: Saying }
  | { readonly kind: 'server'; readonly state: ServerState }
  | { readonly kind: 'pass'; readonly milliseconds: number };

const page = fc.nat({ max: PAGES - 1 });
const name = fc.constantFrom('a', 'b', 'c');

const saying: fc.Arbitrary<Saying> = fc.record({
  maxAge: fc.constantFrom(null, 0, 5, 60, 60, 3_600),
  forbids: fc.constantFrom('nothing', 'nothing', 'nothing', 'no-cache', 'no-store', 'must-revalidate'),
  staleIfError: fc.constantFrom(null, null, 600),
  staleWhileRevalidate: fc.constantFrom(null, null, 600),
  vary: fc.constantFrom(null, null, 'X-Language', 'X-Language', '*'),
  hasEtag: fc.boolean(),
});

const CHOICES: readonly fc.WeightedArbitrary<CacheCommand>[] = [
  of(30, {
    kind: fc.constant('get' as const),
    page,
    name,
    language: fc.constantFrom<Language[]>('de', 'en'),
    policy: fc.constantFrom<PolicyName[]>(
      'default',
      'default',
      'default',
      'strict',
      'network-first',
      'cache-first',
      'cache-only',
      'network-only',
      'reload',
    ),
  }),
  of(3, { kind: fc.constant('poll' as const), page, name, interval: fc.constantFrom(30_000, 60_000) }),
  of(2, { kind: fc.constant('stop' as const), page }),
  of(7, {
    kind: fc.constant('write' as const),
    page,
    name,
    method: fc.constantFrom('PUT' as const, 'POST' as const, 'DELETE' as const),
  }),
  of(5, { kind: fc.constant('sign' as const), page, user: fc.constantFrom('anna', 'bert', null) }),
  of(1, { kind: fc.constant('clear' as const), page }),
  of(4, { kind: fc.constant('kill' as const) }),
  of(5, { kind: fc.constant('publish' as const), name }),
  of(1, { kind: fc.constant('withdraw' as const), name }),
  of(6, { kind: fc.constant('say' as const), name, saying }),
  of(5, { kind: fc.constant('server' as const), state: fc.constant('works' as const) }),
  of(1, { kind: fc.constant('server' as const), state: fc.constant('fails' as const) }),
  of(2, { kind: fc.constant('server' as const), state: fc.constant('cut' as const) }),
  of(1, { kind: fc.constant('server' as const), state: fc.constant('slow' as const) }),
  of(22, {
    kind: fc.constant('pass' as const),
    milliseconds: fc.constantFrom(
      1,
      20,
      20,
      100,
      100,
      1_000,
      4_000,
      4_000,
      8_000,
      8_000,
      40_000,
      40_000,
      200_000,
    ),
  }),
];

export function cachePlans(length: number): fc.Arbitrary<Plan<CacheCommand>> {
  return fc.record({
    seed: fc.nat({ max: 2 ** 31 - 1 }),
    commands: fc.array(fc.oneof(...CHOICES), { minLength: length, maxLength: length }),
  });
}

/** The command as a sentence. */
export function cacheSentenceOf(command: CacheCommand): string {
  switch (command.kind) {
    case 'get':
      return `page ${command.page} gets ${command.name} in ${command.language}, cache: ${command.policy}`;
    case 'poll':
      return `page ${command.page} polls ${command.name} every ${command.interval} ms`;
    case 'stop':
      return `page ${command.page} stops its polls`;
    case 'write':
      return `page ${command.page} calls ${command.method} for ${command.name}`;
    case 'sign':
      return `page ${command.page} signs ${command.user === null ? 'out' : `${command.user} in`}`;
    case 'clear':
      return `page ${command.page} clears the cache`;
    case 'kill':
      return 'the browser ends the worker';
    case 'publish':
      return `somebody else writes ${command.name}`;
    case 'withdraw':
      return `${command.name} is gone until it is written`;
    case 'say':
      return `the server says of ${command.name} from now on: ${JSON.stringify(command.saying)}`;
    case 'server':
      return `the server ${command.state} from now on`;
    case 'pass':
      return `${command.milliseconds} ms pass`;
    default:
      return unreachable(command);
  }
}

function of<Command extends CacheCommand>(
  weight: number,
  parts: { readonly [Key in keyof Command]: fc.Arbitrary<Command[Key]> },
): fc.WeightedArbitrary<CacheCommand> {
  return { weight, arbitrary: fc.record(parts) as fc.Arbitrary<Command> };
}
