import { isSameRevision } from '../../shared/outcome.ts';
import type { Revision, Answered, AnswerBody, Outcome } from '../../shared/outcome.ts';
import { isMap, own } from '../patch/node.ts';
import type { Chunk, Chunked, SentBody, Unsent } from '../../shared/delivery.ts';
import { frozen } from '../development.ts';
import { placed, applyPatch } from '../patch/list.ts';
import { Heirs, share } from '../patch/heirs.ts';
import { Received } from '../queries/record.ts';
import { unreachable } from '../../shared/unreachable.ts';

/** The rows so far of a body in chunks: each chunk is parsed when it comes, and shares rows with the last answer. */
export class Rows {
  /** The answer before, with which new values share their equal parts. */
  readonly last: Received;
  /** The last answer when the first chunk came. */
  #before: unknown;
  #heirs: Heirs | null = null;
  #taken = 0;
  /** Characters of all chunks. */
  #size = 0;

  constructor(last: Received = new Received()) {
    this.last = last;
  }

  /** Chunk 0 begins a new body. A chunk out of order makes all that came before useless. */
  take({ index, path, text }: Chunk): void {
    if (index === 0) this.#begin(path);
    const heirs = this.#heirs;
    if (!heirs || index !== this.#taken) return this.clear();
    const rows: readonly unknown[] = JSON.parse(text);
    for (const row of rows) heirs.add(row);
    this.#taken += 1;
    this.#size += text.length;
    // Freezes each chunk now: at the end it would take as long as for all chunks together.
    frozen(heirs.rows.slice(-rows.length));
  }

  /**
   * The value that JSON.parse would make of the whole body, with parts shared, and clears the rows; null where chunks
   * are missing. Throws a TypeError where the envelope has no place for the rows.
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
  /** The name by which patches refer to it. */
  readonly state: Revision;
  /** Null where it is not stored: another worker instance does not know it. */
  readonly revision: Revision | null;
  readonly value: unknown;
  /** Characters of its text when it last came whole. */
  readonly size: number;
}

/**
 * The outcome with its body opened, sharing parts with the answer before. Null where its patches are for another body
 * than `copy`, or do not apply, or some of its `rows` are missing: then only the whole body helps.
 */
export function open(outcome: Outcome<SentBody>, copy: Copy | null, rows: Rows): Outcome | null {
  if (outcome.kind === 'failed') return outcome;
  const { body: sent } = outcome.answer;
  try {
    const body = openBody(sent, copy, rows, outcome.revision ?? nameOf(sent));
    return body && { ...outcome, answer: { ...outcome.answer, body } };
  } catch {
    // The app has changed a shared value: see the guide on data.
    return null;
  }
}

/** True where the body stayed with the worker. */
export function isUnsent(outcome: Outcome<SentBody>): outcome is Answered<Unsent> {
  return outcome.kind === 'answered' && outcome.answer.body.kind === 'unsent';
}

/** True where its rows came before it. */
export function isChunked(outcome: Outcome<SentBody>): boolean {
  return outcome.kind === 'answered' && outcome.answer.body.kind === 'chunked';
}

/** The base for later patches of the same loop, made of the sent and the opened body; null where none can follow. */
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
    // Only `isUnsent` outcomes have it, and those are not opened.
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
 * The value of `make`, shared with the answer before. Where it is made of that answer (`base`), it is shared already.
 */
function valueOf({ last }: Rows, state: Revision | null, make: () => unknown, base?: unknown): unknown {
  const before = last.value;
  // The same state has the same bytes as before, which need no parsing.
  const value = last.in(state) ?? (before === base ? make() : share(before, make()));
  last.keep(value, state);
  return value;
}
