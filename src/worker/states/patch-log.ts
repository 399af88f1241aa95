import type { Outcome, Revision } from '../../shared/outcome.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import { sizeOfPatch } from '../../shared/patch.ts';
import type { Patch } from '../../shared/patch.ts';
import type { SentBody } from '../../shared/delivery.ts';
import { stateOf, textOf, wholeBody } from '../contracts/read-body.ts';
import type { JsonBody, ReadAnswered, ReadBody, ReadOutcome } from '../contracts/read-body.ts';

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

/** About how many bytes a body has. A parsed body that is no text was small, and counts as 0. */
export function sizeOfBody(body: ReadBody): number {
  if (body.kind !== 'value') return body.bytes.byteLength;
  return typeof body.value === 'string' ? body.value.length : 0;
}
