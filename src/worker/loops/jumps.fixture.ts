import type { Invocation } from '../../shared/invocation.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Pace } from '../../shared/pace.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { answered, failed, refused } from '../contracts/outcome.fixture.ts';
import { LONG_POLL_PERIOD } from '../contracts/rule.ts';
import { longestWait } from '../scheduling/back-off.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Loops } from './loops.ts';
import { declaration, quietPorts, toldBy } from './stage.fixture.ts';

/** What happens to a clock; `by` is milliseconds. */
export interface Jump {
  readonly kind: JumpKind;
  readonly by: number;
}

export type JumpKind = (typeof JUMPS)[number];

/** `sleep`: the machine sleeps, and its timers with it. */
export const JUMPS = ['forward', 'back', 'sleep'] as const;

const [SECOND, MINUTE, DAY] = [1_000, 60_000, 86_400_000];

export const LONGEST_JUMP: number = DAY;

/** Long enough to hear twice of each loop. */
export const QUIET: number = 130 * SECOND;

/** The most milliseconds that the server takes for an answer, and that it holds a long-poll for. */
const SLOWEST = 300;
const HOLD = 25 * SECOND;

/** Seconds that a server which is down asks for. */
const RETRY_AFTER = 7;

/** A loop, and what is to be expected of it whatever happens to the clock. Times are milliseconds. */
interface Kind {
  readonly name: string;
  readonly pace: Pace;
  readonly page: 'seen' | 'hidden';
  /** From one request to the next at the least, and at the most. */
  readonly shortest: number;
  readonly longest: number;
}

const KINDS: readonly Kind[] = [
  poll('quick', 5 * SECOND),
  poll('slow', MINUTE),
  { ...poll('hidden', 5 * SECOND), page: 'hidden', shortest: MINUTE, longest: MINUTE + SLOWEST },
  // Never before the server wants it, and half an interval at the least.
  failing('down', 2 * SECOND, RETRY_AFTER * SECOND),
  failing('cut-off', 2 * SECOND, SECOND),
  // More than may be out at a time: they take turns.
  ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => longPoll(name)),
];

function poll(name: string, interval: number): Kind {
  const pace = { kind: 'poll', interval, hidden: 'slow' } as const;
  return { name, pace, page: 'seen', shortest: interval, longest: interval + SLOWEST };
}

function failing(name: string, interval: number, shortest: number): Kind {
  return { ...poll(name, interval), shortest, longest: longestWait(interval) + SLOWEST };
}

function longPoll(name: string): Kind {
  const longest = HOLD + LONG_POLL_PERIOD;
  return { name: `held-${name}`, pace: { kind: 'long-poll' }, page: 'seen', shortest: SECOND, longest };
}

/** Loops of all kinds under a clock that is set and that sleeps, watched from the outside by one that is not. */
export class Jumps {
  readonly clock: VirtualClock = new VirtualClock();
  /** What went wrong, in words. */
  readonly silent: string[] = [];
  readonly bursts: string[] = [];
  readonly doubled: string[] = [];
  requests = 0;
  /** The longest that a loop took to ask after a jump, as a share of its longest wait. */
  longestSilence = 0;
  readonly #random: () => number;
  /** When each loop has asked since the last jump. */
  readonly #asked = new Map<string, number[]>(KINDS.map(({ name }) => [name, []]));
  readonly #out = new Set<string>();

  constructor(random: () => number) {
    this.#random = random;
    const loops = new Loops(
      { clock: this.clock, random },
      {
        ...quietPorts(this.clock),
        invoke: ({ invocation: asked, signal }) => this.#answer(asked, signal),
        newest: async () => null,
        forget: () => {},
        ...toldBy(() => {}),
        urlOf: ({ template }) => `https://${template.slice(1).replace(/-.*/, '')}.example`,
        keyOf: ({ invocation: { template } }) => template,
      },
    );
    loops.setHidden('hidden', true);
    for (const [index, kind] of KINDS.entries()) loops.declare(kind.page, declarationOf(kind, index));
  }

  /** Lets all settle into its pace, has the clock jump at any moment of it, and sees what comes of that. */
  async suffer({ kind, by }: Jump): Promise<void> {
    await this.clock.advance(Math.floor(this.#random() * MINUTE));
    for (const times of this.#asked.values()) times.length = 0;
    const from = this.clock.unset + (kind === 'sleep' ? by : 0);
    if (kind === 'sleep') await this.clock.oversleep(by);
    else this.clock.set(kind === 'back' ? -by : by);
    await this.clock.advance(QUIET);
    for (const each of KINDS) this.#judge(each, from, `${kind} by ${by}`);
  }

  #judge({ name, shortest, longest }: Kind, from: number, jump: string): void {
    const times = this.#asked.get(name) ?? [];
    const silence = (times[0] ?? Infinity) - from;
    this.longestSilence = Math.max(this.longestSilence, silence / longest);
    if (silence > longest) this.silent.push(`${name} asked ${silence} ms after ${jump}`);
    // One at once, and one that was under way to its usual pace.
    const most = 2 + Math.floor(QUIET / shortest);
    const gap = Math.min(...times.slice(2).map((at, index) => at - (times[index] ?? at)));
    if (times.length > most) this.bursts.push(`${name} asked ${times.length} times after ${jump}`);
    if (gap < shortest) this.bursts.push(`${name} asked three times in ${gap} ms after ${jump}`);
  }

  async #answer({ template }: Invocation, signal: AbortSignal): Promise<Outcome> {
    const name = template.slice(1);
    if (this.#out.has(name)) this.doubled.push(name);
    this.#out.add(name);
    this.requests += 1;
    this.#asked.get(name)?.push(this.clock.unset);
    await this.clock.sleep(this.#durationOf(name), signal);
    this.#out.delete(name);
    return signal.aborted ? failed('aborted') : outcomeOf(name);
  }

  #durationOf(name: string): number {
    if (!name.startsWith('held')) return Math.floor(this.#random() * SLOWEST);
    return SECOND + Math.floor(this.#random() * (HOLD - SECOND));
  }
}

function declarationOf({ name, pace }: Kind, index: number): LoopDeclaration {
  return declaration({ loop: index + 1, pace, invocation: invocation({ template: `/${name}` }) });
}

function outcomeOf(name: string): Outcome {
  switch (name) {
    case 'down':
      return refused(503, [['Retry-After', String(RETRY_AFTER)]]);
    case 'cut-off':
      return failed('network');
    default:
      return answered();
  }
}
