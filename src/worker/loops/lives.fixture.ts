import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { Delivery } from '../../shared/delivery.ts';
import type { LoopDeclaration } from '../../shared/protocol.ts';
import { MemoryLoops } from '../storage/loops.ts';
import type { TickRequest } from '../contracts/engine-request.ts';
import { LifeStore, STATE, valueOf } from '../feeds/feed.fixture.ts';
import type { LoopStore } from '../contracts/loop-store.ts';
import { DurableState } from '../scheduling/durable-state.ts';
import { SharedLoop } from './shared-loop.ts';
import type { Membership, SharedLoopPorts } from './shared-loop.ts';
import { declaration, OPEN, Stage, toldBy } from './stage.fixture.ts';

/** One loop, the lives of the worker that it has, and pages that come and go. */
export class Lives extends Stage {
  newest: Answered | null = null;
  readonly stored: MemoryLoops = new MemoryLoops(this.clock);
  /** What each life sees of the storage. */
  seen: (store: LoopStore) => LoopStore = (store) => store;
  generation: number | null = 1;
  /** What it does to act. */
  acts: () => Promise<void> = async () => {};
  readonly requests: (TickRequest & { readonly place: string })[] = [];
  readonly told: { readonly page: string; readonly delivery: Delivery; readonly taken: () => void }[] = [];
  /** How the state is given to whoever catches up. */
  state: (signal: AbortSignal) => Promise<Outcome> = () => new Promise(() => {});
  /** What each request passes. */
  turnstile: SharedLoopPorts['admission'] = () => OPEN;
  #life = 0;
  #loop: SharedLoop | null = null;

  join(page: string, wish: Partial<LoopDeclaration> = {}): Membership {
    this.#loop ??= this.#start(declaration(wish));
    return this.#loop.join(page, declaration(wish), false);
  }

  /** The worker ends without a word: nothing of it is heard any more, and what it has not stored is lost. */
  kill(): void {
    this.#life += 1;
    this.generation = (this.generation ?? 0) + 1;
    this.#loop = null;
  }

  async wakeUp(): Promise<boolean | undefined> {
    return this.#loop?.wakeUp();
  }

  inspect(): unknown {
    return this.#loop?.inspect();
  }

  /** What a page was told: the value of an answer, the code of a failure, a reset; of a state with `=`. */
  heardBy(page: string): unknown[] {
    return this.told.flatMap(({ page: to, delivery }) => {
      if (to !== page) return [];
      if (delivery.kind === 'reset') return ['reset'];
      if (delivery.kind !== 'tick') return [];
      const { outcome, isCatchUp = false } = delivery;
      const what = outcome.kind === 'failed' ? outcome.failure.code : valueOf(outcome);
      return [isCatchUp ? `=${JSON.stringify(what)}` : what];
    });
  }

  #start(first: LoopDeclaration): SharedLoop {
    const life = this.#life;
    const isAlive = (): boolean => life === this.#life;
    const store = new LifeStore(this.stored, isAlive, () => this.generation ?? 0);
    const state = new DurableState({
      clock: this.clock,
      store: this.seen(store),
      generation: () => this.generation,
      key: async () => 'key',
      uuid: () => `log ${(lastLog += 1)}`,
    });
    return new SharedLoop(
      first,
      { clock: this.clock, random: () => this.random },
      {
        state,
        invoke: async (request) => {
          if (!isAlive()) return new Promise(() => {});
          const { invocation, addition, interest, signal } = request;
          const isState = invocation.action === STATE.action;
          this.requests.push({ ...request, place: isState ? 'state' : (addition.query[0]?.[1] ?? '') });
          const outcome = await (isState ? this.state(signal) : this.ask(interest, signal));
          return isAlive() ? outcome : new Promise(() => {});
        },
        newest: async () => this.newest,
        acts: () => this.acts(),
        forget: () => {},
        urlOf: () => null,
        admission: (...request) => this.turnstile(...request),
        ...toldBy((page, delivery, taken = () => {}) => {
          if (isAlive()) this.told.push({ page, delivery, taken });
        }),
      },
      () => {},
    );
  }

  get places(): string[] {
    return this.requests.map(({ place }) => place);
  }
}

let lastLog = 0;
