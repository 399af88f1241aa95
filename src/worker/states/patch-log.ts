import type { Outcome, Revision } from '../../shared/outcome.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import { sizeOfPatch } from '../../shared/patch.ts';
import type { Patch } from '../../shared/patch.ts';
import type { SentBody } from '../../shared/delivery.ts';
import { stateOf, textOf, wholeBody } from '../contracts/read-body.ts';
import type { JsonBody, ReadAnswered, ReadBody, ReadOutcome } from '../contracts/read-body.ts';

/** A page that is further behind than so many revisions is sent the whole. */
const MOST_STEPS = 100;

/** From one body to another that means the same. */
const NO_CHANGE: Patch = { path: [], envelope: null, change: null };

/** What led from one revision to the next. */
interface LoggedPatch {
  readonly from: Revision;
  readonly to: Revision;
  readonly patch: Patch;
  /** Characters of its texts. */
  readonly size: number;
}

/**
 * What a state looks like to each page that follows it: what has changed since the revision that the page has, as long
 * as that is less than the whole.
 */
export class PatchLog {
  /** Without gaps, the newest last. */
  #steps: LoggedPatch[] = [];
  /** The text of the last body that was sent whole: other pages get the same. */
  #whole: { readonly body: JsonBody; readonly text: string } | null = null;

  /** An answer has come. */
  note(outcome: ReadOutcome): void {
    if (outcome.kind === 'failed') return;
    const { answer } = outcome;
    const state = stateOf(outcome);
    // It may be large, and is hardly wanted once another has come.
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

  /** The bytes of what a page that has revision `has` is sent, about. */
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

  /** What leads from one revision to another; null where that is not known. */
  #patches(from: Revision | null, to: Revision | null): Patch[] | null {
    if (from === null || to === null) return null;
    if (isSameRevision(from, to)) return [];
    const first = this.#steps.findIndex((step) => isSameRevision(step.from, from));
    const last = this.#steps.findIndex((step) => isSameRevision(step.to, to));
    if (first === -1 || last < first) return null;
    return this.#steps.slice(first, last + 1).map(({ patch }) => patch);
  }

  /** All together take less than half of the whole. */
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

/** The bytes of a body, about; what is parsed was small, but for text. */
export function sizeOfBody(body: ReadBody): number {
  if (body.kind !== 'value') return body.bytes.byteLength;
  return typeof body.value === 'string' ? body.value.length : 0;
}
