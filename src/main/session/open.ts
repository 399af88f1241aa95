import type { Answered, AnswerBody, Outcome, Revision } from '../../shared/outcome.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { SentBody, Unsent } from '../../shared/delivery.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { applyPatch } from '../patch/apply.ts';
import { share } from '../patch/share.ts';
import type { Rows } from './answers.ts';

/** A body that the page has. */
export interface Copy {
  /** What patches call it. */
  readonly state: Revision;
  /** Null where it is not stored: another life of the worker knows nothing of it. */
  readonly revision: Revision | null;
  readonly value: unknown;
  /** Characters of its text, when it last came whole. */
  readonly size: number;
}

/**
 * The outcome with its body as the page uses it, shared with the answer before; null where that is to be made of another
 * than `copy`, or does not come of it, or not all of its `rows` are there: only the whole is of use then.
 */
export function open(outcome: Outcome<SentBody>, copy: Copy | null, rows: Rows): Outcome | null {
  if (outcome.kind === 'failed') return outcome;
  const { body: sent } = outcome.answer;
  try {
    const body = openBody(sent, copy, rows, outcome.revision ?? nameOf(sent));
    return body && { ...outcome, answer: { ...outcome.answer, body } };
  } catch {
    // Somebody has changed what is shared: see the guide on data.
    return null;
  }
}

/** Whether the worker has kept the body to itself. */
export function isUnsent(outcome: Outcome<SentBody>): outcome is Answered<Unsent> {
  return outcome.kind === 'answered' && outcome.answer.body.kind === 'unsent';
}

/** Whether its rows came before it. */
export function isChunked(outcome: Outcome<SentBody>): boolean {
  return outcome.kind === 'answered' && outcome.answer.body.kind === 'chunked';
}

/** What later patches of the same loop are applied to, as it was sent and then opened; null where none can follow. */
export function copyOf(sent: Outcome<SentBody>, { revision, answer: { body } }: Answered): Copy | null {
  const state = revision ?? (sent.kind === 'answered' ? nameOf(sent.answer.body) : null);
  return state && body.kind === 'value' ? { state, revision, value: body.value, size: body.size ?? 0 } : null;
}

function nameOf(body: SentBody): Revision | null {
  return ('as' in body && body.as) || null;
}

function openBody(body: SentBody, copy: Copy | null, rows: Rows, state: Revision | null): AnswerBody | null {
  switch (body.kind) {
    case 'json':
      return kept(rows, state, body.text.length, () => JSON.parse(body.text));
    case 'patches':
      if (!copy || !isSameRevision(copy.state, body.from)) return null;
      return kept(
        rows,
        state,
        copy.size,
        () => body.patches.reduce<unknown>(applyPatch, copy.value),
        copy.value,
      );
    case 'chunked': {
      const whole = rows.finish(body);
      return whole && kept(rows, state, whole.size, () => whole.value);
    }
    case 'value':
      return { ...body, value: valueOf(rows, state, () => body.value) };
    case 'bytes':
      return body;
    // Only those are told so who do not open it.
    case 'unsent':
      return null;
    default:
      return unreachable(body);
  }
}

function kept(
  rows: Rows,
  state: Revision | null,
  size: number,
  make: () => unknown,
  base?: unknown,
): AnswerBody {
  return { kind: 'value', value: valueOf(rows, state, make, base), size };
}

/**
 * What `make` gives, shared with the answer before. Where that was made of `base`, it is that by itself: to look through
 * all of it once more would cost as much as it is long.
 */
function valueOf({ last }: Rows, state: Revision | null, make: () => unknown, base?: unknown): unknown {
  const before = last.value;
  // Bytes that are those of the answer before need not be looked at.
  const value = last.in(state) ?? (before === base ? make() : share(before, make()));
  last.keep(value, state);
  return value;
}
