import type { LoopInspection } from '../../shared/inspection.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Addressee, Delivery, LoopDeclaration, Tell } from '../../shared/protocol.ts';
import type { System } from '../system.ts';
import { Loop } from './loop.ts';

/** How loops ask and whom they tell. `page` names one session of one page. */
export interface LoopsPorts {
  readonly invoke: (
    invocation: Invocation,
    tell: Tell,
    say: (step: Step) => void,
    signal: AbortSignal,
  ) => Promise<Outcome>;
  readonly tell: (page: string, delivery: Delivery) => void;
}

/** A step on the way of a request, told to whoever asked for it. */
export type Step = (to: Addressee) => Delivery;

/** The door: every loop of every page. They live in memory; pages declare them again after the worker's death. */
export class Loops {
  readonly #system: Pick<System, 'clock' | 'random'>;
  readonly #ports: LoopsPorts;
  readonly #pages = new Map<string, Map<number, Loop>>();
  readonly #hidden = new Set<string>();

  constructor(system: Pick<System, 'clock' | 'random'>, ports: LoopsPorts) {
    this.#system = system;
    this.#ports = ports;
  }

  /** Starts a loop; one of the same number is replaced. */
  declare(page: string, declaration: LoopDeclaration): void {
    this.stop(page, declaration.loop);
    const reached = this.#limitReached(page);
    if (reached) {
      this.#ports.tell(page, refusal(declaration, reached));
      return;
    }
    const loop = this.#build(page, declaration);
    const loops = this.#pages.get(page) ?? new Map<number, Loop>();
    this.#pages.set(page, loops.set(declaration.loop, loop));
    void loop.run();
  }

  stop(page: string, number: number): void {
    this.find(page, number)?.stop();
    this.#pages.get(page)?.delete(number);
  }

  /** Ends all loops of a page that is gone (invariant 13). */
  stopAll(page: string): void {
    for (const loop of this.#pages.get(page)?.values() ?? []) loop.stop();
    this.#pages.delete(page);
    this.#hidden.delete(page);
  }

  /** A page is shown or hidden: its polls go on as they were declared to. */
  setHidden(page: string, hidden: boolean): void {
    if (hidden) this.#hidden.add(page);
    else this.#hidden.delete(page);
    for (const loop of this.#pages.get(page)?.values() ?? []) loop.setHidden(hidden);
  }

  find(page: string, number: number): Loop | undefined {
    return this.#pages.get(page)?.get(number);
  }

  /** The network is back. */
  wakeUp(): void {
    for (const loop of this.#all()) loop.wakeUp();
  }

  inspect(): LoopInspection[] {
    return this.#all().map((loop) => loop.inspect());
  }

  #limitReached(page: string): 'loops' | 'sessionLoops' | null {
    if (this.#all().length >= LIMITS.loops) return 'loops';
    return (this.#pages.get(page)?.size ?? 0) >= LIMITS.sessionLoops ? 'sessionLoops' : null;
  }

  #all(): Loop[] {
    return [...this.#pages.values()].flatMap((loops) => [...loops.values()]);
  }

  #build(page: string, { loop, ...declaration }: LoopDeclaration): Loop {
    const tell = (delivery: Delivery): void => this.#ports.tell(page, delivery);
    return new Loop({ loop, ...declaration }, this.#hidden.has(page), {
      ...this.#system,
      ask: (invocation, wanted, signal) =>
        this.#ports.invoke(invocation, wanted, (step) => tell(step({ loop })), signal),
      ticking: () => tell({ kind: 'ticking', loop }),
      tick: (outcome, nextIn) => tell({ kind: 'tick', loop, outcome, nextIn }),
    });
  }
}

function refusal({ loop, invocation }: LoopDeclaration, limit: 'loops' | 'sessionLoops'): Delivery {
  const value = LIMITS[limit];
  const where = limit === 'loops' ? '' : ' of one page';
  const message = `Too many loops: '${invocation.action}' would be one more than ${value}${where}; stop some first`;
  const failure = { code: 'limit', message, limit, value } as const;
  return {
    kind: 'tick',
    loop,
    outcome: unanswered(failure),
    nextIn: null,
  };
}
