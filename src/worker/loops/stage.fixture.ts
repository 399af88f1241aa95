import type { Outcome } from '../../shared/outcome.ts';
import type { Delivery, SentBody } from '../../shared/delivery.ts';
import type { Pace } from '../../shared/pace.ts';
import type { LoopDeclaration, EventInterest } from '../../shared/protocol.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import { answered, failed } from '../contracts/outcome.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { storeIn } from '../contracts/loop-store.fixture.ts';
import type { LoopStore } from '../contracts/loop-store.ts';
import { DurableState } from '../scheduling/durable-state.ts';
import { MemoryLoops } from '../storage/loops.ts';
import { SharedLoop } from './shared-loop.ts';
import type { Membership } from './shared-loop.ts';
import type { LoopAdmission } from '../scheduling/loop.ts';
import type { LoopsPorts } from './loops.ts';
import type { PageDelivery } from '../states/publisher.ts';

export const SILENT: EventInterest = { started: false, sent: false, progress: false };

/** A poll of 1 s that asks at once, but for what is wished otherwise. */
export function declaration(wish: Partial<LoopDeclaration> = {}): LoopDeclaration {
  return {
    loop: 1,
    pace: every(1_000),
    invocation: invocation(),
    interest: SILENT,
    firstIn: 0,
    ...wish,
  };
}

export function every(interval: number): Pace {
  return { kind: 'poll', interval, hidden: 'slow' };
}

/** One request as the network saw it; times are milliseconds since the start. */
export interface Asked {
  readonly at: number;
  readonly interest: EventInterest;
  readonly signal: AbortSignal;
}

/** How the network answers: after so many milliseconds, with this. */
export interface Reply {
  readonly after: number;
  readonly outcome: Outcome;
}

/** Tells at once whatever is told, to pages of today. */
export function toldBy(tell: PageDelivery['tell']): PageDelivery {
  const publish: PageDelivery['publish'] = (page, make) => {
    const made = make();
    if ('kind' in made) tell(page, made);
    else for (const each of made) tell(page, each());
  };
  return { tell, publish };
}

/** Lets every loop pass at once. */
export const OPEN: LoopAdmission = {
  admit: async () => ({ signal: new AbortController().signal, end: () => {} }),
  stepAside: () => {},
  leave: () => {},
};

/** Loops whose origin is nobody's concern, in an engine that always acts, and that remember in memory. */
export function quietPorts(
  clock: VirtualClock,
): Pick<LoopsPorts, 'urlOf' | 'acts' | 'idle' | 'store' | 'storeKey' | 'generation' | 'uuid'> {
  return {
    urlOf: () => null,
    acts: async () => {},
    idle: () => {},
    store: storeIn(new MemoryLoops(clock)),
    storeKey: async (key) => `digest of ${key}`,
    generation: () => 1,
    uuid: () => `uuid ${(lastUuid += 1)}`,
  };
}

let lastUuid = 0;

/** What a loop of `declaration()` remembers there. */
export function memoryIn(
  clock: VirtualClock,
  store: LoopStore = storeIn(new MemoryLoops(clock)),
): DurableState {
  return new DurableState({ ...quietPorts(clock), clock, store, key: async () => 'key' });
}

/** A virtual network and whoever listens to loops on it. */
export class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly asked: Asked[] = [];
  readonly ticks: {
    readonly at: number;
    readonly outcome: Outcome<SentBody>;
    readonly nextIn: number | null;
  }[] = [];
  /** When `started` was told. */
  readonly startings: number[] = [];
  reply: (nth: number) => Reply = () => ({ after: 0, outcome: answered() });
  random = 0.5;
  inFlight = 0;
  mostInFlight = 0;
  readonly #start: number = this.clock.now();

  get now(): number {
    return this.clock.now() - this.#start;
  }

  get times(): number[] {
    return this.asked.map(({ at }) => at);
  }

  /** A loop that one page alone follows. */
  alone(wish: Partial<LoopDeclaration> = {}, hidden = false): Alone {
    const asked = declaration(wish);
    const loop = new SharedLoop(
      asked,
      { clock: this.clock, random: () => this.random },
      {
        invoke: ({ interest, signal }) => this.ask(interest, signal),
        state: memoryIn(this.clock),
        newest: async () => null,
        acts: async () => {},
        forget: () => {},
        urlOf: () => null,
        admission: () => OPEN,
        ...toldBy((_page, delivery) => this.#hear(delivery)),
      },
      () => {},
    );
    return { ...loop.join('page', asked, hidden), loop };
  }

  #hear(delivery: Delivery): void {
    const at = this.now;
    if (delivery.kind === 'ticking') this.startings.push(at);
    if (delivery.kind !== 'tick') return;
    const { outcome, nextIn } = delivery;
    this.ticks.push({ at, outcome, nextIn });
  }

  async ask(interest: EventInterest, signal: AbortSignal): Promise<Outcome> {
    this.asked.push({ at: this.now, interest, signal });
    this.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight);
    const { after, outcome } = this.reply(this.asked.length);
    if (after > 0) await this.clock.sleep(after, signal);
    this.inFlight -= 1;
    return signal.aborted ? failed('aborted') : outcome;
  }
}

/** A loop with the hold of the one page that follows it. */
export interface Alone extends Membership {
  readonly loop: SharedLoop;
}
