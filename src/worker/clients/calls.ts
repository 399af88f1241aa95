import type { CallInspection } from '../../shared/inspection.ts';
import { isIdempotent } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { Delivery, Submission } from '../../shared/protocol.ts';
import { inChunks } from '../in-chunks.ts';
import { whole } from '../read-body.ts';
import type { Services } from './services.ts';

/** The invocations of one page that are under way, each taken once however often it is submitted. */
export class Calls {
  readonly #page: string;
  readonly #services: Pick<Services, 'invoke' | 'settled' | 'hub'>;
  readonly #underWay = new Map<number, Call>();
  /** Ids already answered: a page that took a live worker for dead submits again. */
  readonly #settled = new Set<number>();
  #onEmpty: () => void = () => {};

  constructor(page: string, services: Pick<Services, 'invoke' | 'settled' | 'hub'>) {
    this.#page = page;
    this.#services = services;
  }

  /** Resolves when the outcome is on its way to the page, and stored. */
  async take(submission: Submission, now: number): Promise<void> {
    const { id, invocation, tell } = submission;
    if (this.#underWay.has(id) || this.#settled.has(id)) return;
    if (this.#underWay.size >= LIMITS.calls) {
      this.#tell({ kind: 'settled', id, outcome: tooMany(invocation.action) });
      return;
    }
    const call: Call = { submission, since: now, controller: new AbortController(), dropped: false };
    this.#underWay.set(id, call);
    const say = (step: (to: { id: number }) => Delivery): void => this.#tell(step({ id }));
    const { signal } = call.controller;
    const outcome = await this.#services.invoke(invocation, tell, say, signal, this.#page);
    this.#underWay.delete(id);
    if (this.#underWay.size === 0) this.#onEmpty();
    if (call.dropped) return;
    this.#remember(id);
    const { hub } = this.#services;
    const sent = whole(outcome);
    const settled = (): Delivery => ({ kind: 'settled', id, outcome: sent });
    hub.publish(this.#page, () => inChunks(outcome, sent, { id }, settled));
    await this.#services.settled();
  }

  /** The ids of the calls that this life has, under way or answered. */
  get taken(): number[] {
    return [...this.#underWay.keys(), ...this.#settled];
  }

  /** The page has missed some of what it was told. */
  forgetAnswered(): void {
    this.#settled.clear();
  }

  /** These answers are lost, should the page not have them: it is to ask again for what it may. */
  forget(ids: readonly number[]): void {
    for (const id of ids) this.#settled.delete(id);
  }

  get size(): number {
    return this.#underWay.size;
  }

  abort(ids: readonly number[]): void {
    for (const id of ids) this.#underWay.get(id)?.controller.abort();
  }

  abortAll(): void {
    this.abort([...this.#underWay.keys()]);
  }

  /** Drops what the page may send again to the next life, and the rest where it is not answered in time. */
  async drain(patience: Promise<void>): Promise<void> {
    this.#drop(({ submission }) => isIdempotent(submission.invocation.method));
    const answered = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    if (this.#underWay.size > 0) await Promise.race([answered, patience]);
    this.#drop(() => true);
  }

  inspect(): CallInspection[] {
    return [...this.#underWay.values()].map(({ submission: { invocation }, since }) => ({
      action: invocation.action,
      method: invocation.method,
      template: invocation.template,
      since,
    }));
  }

  /** Ends calls without a word: what becomes of them is for their page to say. */
  #drop(which: (call: Call) => boolean): void {
    for (const call of [...this.#underWay.values()].filter(which)) {
      call.dropped = true;
      call.controller.abort();
    }
  }

  #tell(delivery: Delivery): void {
    this.#services.hub.tell(this.#page, delivery);
  }

  #remember(id: number): void {
    this.#settled.add(id);
    const [oldest] = this.#settled;
    if (this.#settled.size > LIMITS.results && oldest !== undefined) this.#settled.delete(oldest);
  }
}

function tooMany(action: string): Outcome {
  const { calls } = LIMITS;
  const message = `'${action}' would be one more than ${calls} calls under way: wait for some of them first`;
  const failure = { code: 'limit', message, limit: 'calls', value: calls } as const;
  return { kind: 'failed', failure, answer: null, request: null };
}

interface Call {
  readonly submission: Submission;
  readonly since: number;
  readonly controller: AbortController;
  /** Cut on the way out: its page sends it again. */
  dropped: boolean;
}
