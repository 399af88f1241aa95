import type { Failure } from '../../shared/failure.ts';
import { isAborted, isSameRevision } from '../../shared/outcome.ts';
import type { Answered, Outcome, Revision } from '../../shared/outcome.ts';
import type { Delivery, LogOffset, Ticked, Unsent, SentBody } from '../../shared/delivery.ts';
import { inChunks, tellEarly } from '../contracts/engine-request.ts';
import type { Deliveries, StepDelivery } from '../contracts/engine-request.ts';
import { parsed, sizeOfBody, stateOf, textOf, wholeBody } from '../contracts/read-body.ts';
import type { ReadAnswered, ReadOutcome, JsonBody, ReadBody, TakeEarly } from '../contracts/read-body.ts';
import { changed, freshState, heardAfter, isHadInParts, wantsAll, withheldAfter } from './delivery-policy.ts';
import type { DeliveryRules } from './delivery-policy.ts';
import { isNews } from '../scheduling/plan.ts';
import type { Reply, Subscriber } from '../contracts/audience.ts';
import { sizeOfPatch } from '../../shared/patch.ts';
import type { Patch } from '../../shared/patch.ts';

export interface PageDelivery {
  /** `taken` is called when the page has it. */
  readonly tell: (page: string, delivery: Delivery, taken?: () => void) => void;
  /** Makes the delivery only when it is sent. */
  readonly publish: (page: string, make: () => Deliveries, about: Published) => void;
}

/** Describes a delivery before it is made. */
export interface Published {
  readonly kind: 'tick';
  /** A delivery of the same name that still waits is replaced; null where each is sent. */
  readonly name: string | null;
  readonly loop: number;
  /** The loop's URL without the loop's own additions; null where it may not be asked. */
  readonly url: string | null;
  /** About how many bytes its body has if it is sent now. */
  readonly size: () => number;
}

export interface PublisherPorts extends PageDelivery {
  readonly url: string | null;
  readonly rules: DeliveryRules;
  /** When the loop asked last; for a long-poll, whose requests are held, now. */
  readonly askedAt: () => number;
  /** Milliseconds until the loop asks next. */
  readonly nextIn: () => number;
  readonly now: () => number;
}

/** Tells pages what one loop has brought, to each under the number that the loop has there. */
export class Publisher {
  readonly #ports: PublisherPorts;
  readonly #patches = new PatchLog();

  constructor(ports: PublisherPorts) {
    this.#ports = ports;
  }

  started(subscriber: Subscriber): void {
    const { page, number, interest } = subscriber;
    if (interest.started && this.#hears(subscriber))
      this.#ports.tell(page, { kind: 'ticking', loop: number });
  }

  /** Tells a step of a request to a page that listens for it. */
  step(subscriber: Subscriber, step: StepDelivery): void {
    const { page, number, interest, abstains } = subscriber;
    const delivery = step({ loop: number });
    const isHeard = delivery.kind === 'sent' ? interest.sent : interest.progress;
    if (isHeard && !abstains && this.#hears(subscriber)) this.#ports.tell(page, delivery);
  }

  /**
   * Tells a page that has nothing yet the rows of a long answer while it is read. The first such page, since large bodies go
   * to one page at a time; null if there is none.
   */
  early(subscribers: Iterable<Subscriber> & Pick<Set<Subscriber>, 'has'>): TakeEarly | null {
    const subscriber = [...subscribers].find((each) => wantsAll(each) && this.#hears(each));
    if (!subscriber) return null;
    subscriber.told = null;
    const { page, number: loop } = subscriber;
    const about = { kind: 'tick', url: this.#ports.url, loop, size: nothing } as const;
    return (chunk) => {
      const told = subscriber.told?.bytes === chunk.bytes ? subscriber.told.count : 0;
      // The page may have left, or have been told another answer, since the first chunk.
      if (!subscribers.has(subscriber) || !wantsAll(subscriber) || told !== chunk.index) return;
      // A page that cannot keep up is told no rows of answers that others have followed.
      const name = `rows ${chunk.index} ${loop}`;
      subscriber.told = tellEarly(chunk, { loop }, (make) =>
        this.#ports.publish(page, make, { ...about, name }),
      );
    };
  }

  /** A page that has given up the request is told only a catch-up, which stands for all that was missed. */
  toAll(subscribers: Iterable<Subscriber>, { outcome, isCatchUp }: Reply): void {
    if (!isCatchUp) this.#patches.note(outcome);
    for (const subscriber of subscribers)
      if (isCatchUp || !subscriber.abstains) this.toOne(subscriber, outcome, isCatchUp);
  }

  toOne(subscriber: Subscriber, outcome: ReadOutcome, isCatchUp: boolean): void {
    if (isCatchUp) this.catchUp(subscriber, outcome);
    else this.tick(subscriber, outcome);
  }

  /** A hidden page may be told less, or nothing. */
  tick(subscriber: Subscriber, outcome: ReadOutcome): void {
    const { withheld } = subscriber;
    const { rules } = this.#ports;
    const policy = rules.policyFor(subscriber, outcome, this.#ports.askedAt());
    subscriber.withheld = withheldAfter(policy, outcome, withheld);
    if (policy === 'nothing') return void (subscriber.told = null);
    if (policy === 'all') {
      if (rules.isRedundant({ ...subscriber, withheld }, outcome)) return;
      subscriber.heardAt = heardAfter(outcome, subscriber.heardAt, this.#ports.askedAt());
      subscriber.fresh = freshState(outcome);
    }
    const make = (): Deliveries => {
      // What was told of another answer ends with this one.
      const early = subscriber.told;
      subscriber.told = null;
      const told =
        policy === 'notice'
          ? this.#noticeFor(subscriber, outcome)
          : this.#outcomeFor(subscriber, withheld === 'news' ? changed(outcome) : outcome);
      return inChunks(outcome, told, { loop: subscriber.number }, early, () =>
        this.#ticked(subscriber, told),
      );
    };
    this.#ports.publish(subscriber.page, make, {
      kind: 'tick',
      url: this.#ports.url,
      name: nameOf(outcome, subscriber.number),
      loop: subscriber.number,
      size: () => (policy === 'notice' ? 0 : this.#sizeFor(subscriber, outcome)),
    });
  }

  /** Tells any page, hidden or not, the state that stands for all that it has missed. */
  catchUp(subscriber: Subscriber, outcome: ReadOutcome): void {
    const { page, number } = subscriber;
    subscriber.withheld = withheldAfter('all', outcome, subscriber.withheld);
    const make = (): Deliveries => {
      subscriber.told = null;
      return { ...this.#ticked(subscriber, parsed(outcome)), isCatchUp: true };
    };
    this.#ports.publish(page, make, {
      kind: 'tick',
      url: this.#ports.url,
      name: null,
      loop: number,
      size: () => (outcome.kind === 'failed' ? 0 : sizeOfBody(outcome.answer.body)),
    });
  }

  entry(subscriber: Subscriber, outcome: Outcome, entry: LogOffset, taken: () => void): void {
    this.#ports.tell(subscriber.page, { ...this.#ticked(subscriber, outcome), entry }, taken);
  }

  joined({ page, number }: Subscriber, position: LogOffset): void {
    this.#ports.tell(page, { kind: 'joined', loop: number, position });
  }

  reset({ page, number }: Subscriber, failure: Failure): void {
    this.#ports.tell(page, { kind: 'reset', loop: number, failure });
  }

  #ticked({ number }: Subscriber, outcome: Ticked['outcome']): Ticked {
    const [nextIn, at] = [this.#ports.nextIn(), this.#ports.now()];
    return { kind: 'tick', loop: number, outcome, nextIn, at };
  }

  #hears(subscriber: Subscriber): boolean {
    return this.#ports.rules.hears(subscriber, this.#ports.askedAt());
  }

  /** The notice that there is news. A page that wants bodies keeps the one that it has, for a later patch. */
  #noticeFor(subscriber: Subscriber, outcome: ReadOutcome): Ticked['outcome'] {
    if (outcome.kind === 'failed') return outcome;
    if (subscriber.interest.body === false) this.#forgetBody(subscriber);
    return withoutBody(outcome);
  }

  #sizeFor({ interest, has }: Subscriber, outcome: ReadOutcome): number {
    if (outcome.kind === 'failed' || (interest.body === false && isHadInParts(outcome))) return 0;
    return this.#patches.sizeFor(outcome, has);
  }

  #forgetBody(subscriber: Subscriber): void {
    subscriber.lacksBody = true;
    subscriber.has = null;
  }

  #outcomeFor(subscriber: Subscriber, outcome: ReadOutcome): Ticked['outcome'] {
    if (outcome.kind === 'failed') return outcome;
    if (subscriber.interest.body === false && isHadInParts(outcome)) {
      this.#forgetBody(subscriber);
      return withoutBody(outcome);
    }
    subscriber.lacksBody = false;
    const { has } = subscriber;
    subscriber.has = stateOf(outcome);
    const isKnown = has !== null && outcome.revision !== null && isSameRevision(has, outcome.revision);
    return this.#patches.outcomeFor(isKnown ? { ...outcome, changed: false } : outcome, has);
  }
}

function nothing(): number {
  return 0;
}

/** A page that cannot keep up is told only a loop's newest state, newest failure and newest "nothing new". */
function nameOf(outcome: ReadOutcome, loop: number): string | null {
  if (outcome.kind === 'failed') return isAborted(outcome) ? null : `failure ${loop}`;
  return outcome.revision !== null || isNews(outcome) ? `state ${loop}` : `nothing ${loop}`;
}

function withoutBody(outcome: ReadAnswered): Answered<Unsent> {
  return { ...outcome, answer: { ...outcome.answer, body: { kind: 'unsent' } } };
}

/** A page that is more revisions behind is sent the whole. */
const MOST_STEPS = 100;

/** The patch between two bodies that mean the same. */
const NO_CHANGE: Patch = { path: [], envelope: null, change: null };

interface LoggedPatch {
  readonly from: Revision;
  readonly to: Revision;
  readonly patch: Patch;
  /** Characters of the patch's texts. */
  readonly size: number;
}

/** Gives each page of a state what has changed since the page's revision, while that is less than the whole. */
export class PatchLog {
  /** The newest last, without gaps. */
  #steps: LoggedPatch[] = [];
  /** The text of the last body that was sent whole: other pages get the same. */
  #whole: { readonly body: JsonBody; readonly text: string } | null = null;

  note(outcome: ReadOutcome): void {
    if (outcome.kind === 'failed') return;
    const { answer } = outcome;
    const state = stateOf(outcome);
    // It may be large, and is rarely wanted once another answer has come.
    if (this.#whole?.body !== answer.body) this.#whole = null;
    if (state === null) return;
    const step = answer.body.kind === 'json' ? answer.body.patchFrom : null;
    const last = this.#steps.at(-1);
    if (last && isSameRevision(last.to, state)) return;
    if (!last || !step || !isSameRevision(last.to, step.from)) this.#steps = [];
    if (!step || isSameRevision(step.from, state)) return;
    const { from, patch } = step;
    this.#steps.push({ from, to: state, patch: patch ?? NO_CHANGE, size: patch ? sizeOfPatch(patch) : 0 });
    this.#forget(answer.body);
  }

  /** The outcome for a page that has revision `has`, or none. */
  outcomeFor(outcome: ReadOutcome, has: Revision | null): Outcome<SentBody> {
    if (outcome.kind === 'failed') return outcome;
    return { ...outcome, answer: { ...outcome.answer, body: this.#bodyFor(outcome, has) } };
  }

  /** About how many bytes a page that has revision `has` is sent. */
  sizeFor(outcome: ReadAnswered, has: Revision | null): number {
    const { body } = outcome.answer;
    const patches = body.kind === 'json' && this.#patches(has, stateOf(outcome));
    return patches ? patches.reduce((sum, patch) => sum + sizeOfPatch(patch), 0) : sizeOfBody(body);
  }

  #bodyFor(outcome: ReadAnswered, has: Revision | null): SentBody {
    const { body } = outcome.answer;
    if (body.kind !== 'json') return body;
    const patches = this.#patches(has, stateOf(outcome));
    const sent =
      has && patches
        ? ({ kind: 'patches', from: has, patches } as const)
        : wholeBody(body, () => this.#textOf(body));
    return body.volatileRevision ? { ...sent, as: body.volatileRevision } : sent;
  }

  /** The patches from one revision to another; null where they are not known. */
  #patches(from: Revision | null, to: Revision | null): Patch[] | null {
    if (from === null || to === null) return null;
    if (isSameRevision(from, to)) return [];
    const first = this.#steps.findIndex((step) => isSameRevision(step.from, from));
    const last = this.#steps.findIndex((step) => isSameRevision(step.to, to));
    if (first === -1 || last < first) return null;
    return this.#steps.slice(first, last + 1).map(({ patch }) => patch);
  }

  /** All patches together take less than half of the whole. */
  #forget(body: ReadBody): void {
    const most = body.kind === 'json' ? body.bytes.byteLength / 2 : 0;
    let size = this.#steps.reduce((sum, step) => sum + step.size, 0);
    while (this.#steps.length > MOST_STEPS || size > most) size -= this.#steps.shift()?.size ?? size;
  }

  #textOf(body: JsonBody): string {
    if (this.#whole?.body !== body) this.#whole = { body, text: textOf(body) };
    return this.#whole.text;
  }
}
