import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision, Answered, AnswerBody, Outcome } from '../../shared/outcome.ts';
import { isNode, isMap, own } from '../patch/node.ts';
import type { Chunk, Chunked, SentBody, Unsent } from '../../shared/delivery.ts';
import { frozen } from '../development.ts';
import { placed, applyPatch } from '../patch/apply.ts';
import { Heirs } from '../patch/heirs.ts';
import { share } from '../patch/share.ts';
import { unreachable } from '../../shared/unreachable.ts';

/** The last answer to one query, as long as anybody in the page holds it: the next is shared with it. */
export class Last {
  #value: WeakRef<object> | null = null;
  #state: Revision | null = null;

  /** Undefined where there is none any more. */
  get value(): unknown {
    return this.#value?.deref();
  }

  /** The same where it is in this state, which then need not be made of what was sent. */
  in(state: Revision | null): unknown {
    return state && this.#state && isSameRevision(state, this.#state) ? this.value : undefined;
  }

  /** `state` is what the worker calls it; null where it has no name for it. */
  keep(value: unknown, state: Revision | null): void {
    this.#value = isNode(value) ? new WeakRef(value) : null;
    this.#state = state;
  }
}

/** The last answers that a page was told, by what was asked for: calls and loops that ask for the same share theirs. */
export class Answers {
  /** In the order of their last use. */
  readonly #lasts = new Map<string, Last>();

  of({ method, baseUrl, template, params, body }: Invocation): Last {
    // What is equal is shared whatever it answers to, so headers and long bodies need not tell queries apart.
    const text = 'text' in body ? body.text.slice(0, LIMITS.checkedLength) : '';
    const key = JSON.stringify([method, baseUrl, template, params, text]);
    const last = this.#lasts.get(key) ?? new Last();
    this.#lasts.delete(key);
    this.#lasts.set(key, last);
    const [oldest] = this.#lasts.keys();
    if (this.#lasts.size > LIMITS.results && oldest !== undefined) this.#lasts.delete(oldest);
    return last;
  }
}

/**
 * The rows that have come of a body that is told in chunks, each parsed in the task in which it came, and shared with those
 * of the last answer there.
 */
export class Rows {
  /** The answer before; what is made here is shared with it. */
  readonly last: Last;
  /** That answer when the first chunk came. */
  #before: unknown;
  #heirs: Heirs | null = null;
  #taken = 0;
  /** Characters of all chunks. */
  #size = 0;

  constructor(last: Last = new Last()) {
    this.last = last;
  }

  /** The first of a body begins anew; one that does not follow on the last is of no use, nor is what came before. */
  take({ index, path, text }: Chunk): void {
    if (index === 0) this.#begin(path);
    const heirs = this.#heirs;
    if (!heirs || index !== this.#taken) return this.clear();
    const rows: readonly unknown[] = JSON.parse(text);
    for (const row of rows) heirs.add(row);
    this.#taken += 1;
    this.#size += text.length;
    // Here rather than when all is there, which would take as long as all chunks together.
    frozen(heirs.rows.slice(-rows.length));
  }

  /**
   * What JSON.parse would have made of the whole body, shared with the answer before, and nothing is left of it here; null
   * where chunks are missing. Throws a TypeError where what lies around has no place for them.
   */
  finish({ path, envelope, chunks }: Chunked): { readonly value: unknown; readonly size: number } | null {
    const [heirs, before, taken, size] = [this.#heirs, this.#before, this.#taken, this.#size];
    this.clear();
    if (!heirs || taken !== chunks) return null;
    return { value: placed(before, JSON.parse(envelope), path, () => heirs.finish()), size };
  }

  clear(): void {
    this.#heirs = null;
    this.#before = null;
    this.#taken = 0;
    this.#size = 0;
  }

  #begin(path: readonly string[]): void {
    this.clear();
    this.#before = this.last.value;
    let list = this.#before;
    for (const key of path) list = isMap(list) ? own(list, key) : undefined;
    this.#heirs = new Heirs(Array.isArray(list) ? list : [], (old, row) => share(old, row));
  }
}

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
