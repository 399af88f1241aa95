import type { Answer, AnswerBody, Answered, Outcome, Revision } from '../../shared/outcome.ts';
import type { Patch } from '../../shared/patch.ts';
import type { Chunked, JsonText, SentBody } from '../../shared/delivery.ts';

/** How a body is read: `parsed`; `checked`, but not looked into; or `revised`, also compared with the one before. */
export type Reading = 'parsed' | 'checked' | 'revised';

export type ReadBody = AnswerBody | JsonBody;

/** Bytes that are known to be JSON. A page parses them. */
export interface JsonBody {
  readonly kind: 'json';
  readonly bytes: ArrayBuffer;
  /** The patch from the revision before; null where they were not compared, or no small patch was found. */
  readonly patchFrom: PatchFrom | null;
  /** Null where the body is short enough for one text, or is no list. */
  readonly chunks: Chunks | null;
  /** Names the bytes while this worker lives, where they are compared but not stored; missing otherwise. */
  readonly volatileRevision?: Revision;
}

/** The rows of a long list, in texts that are short enough to be parsed without a pause. */
export interface Chunks {
  /** Where the list lies, as keys from the root. */
  readonly path: readonly string[];
  readonly count: number;
  /** The text of the body with `null` in the list's place. */
  readonly envelope: string;
  /** The text of a list, made anew each time. */
  text(index: number): string;
}

/** One text of `Chunks`, told while its body is still being read. */
export interface EarlyChunk {
  /** Those of the body, by which it is known. */
  readonly bytes: ArrayBufferLike;
  readonly index: number;
  readonly path: readonly string[];
  /** Made anew each time. */
  readonly text: () => string;
}

/** Takes the chunks of a long list but the last, in order, each once its rows are proven to be JSON. */
export type TakeEarly = (chunk: EarlyChunk) => void;

/** The patch from one revision to the next. */
export interface PatchFrom {
  readonly from: Revision;
  /** Null where nothing has changed. */
  readonly patch: Patch | null;
}

export type ReadOutcome = Outcome<ReadBody>;
export type ReadAnswered = Answered<ReadBody>;

/** The revision of an answer, else its volatile revision; null where it has neither. */
export function stateOf({ revision, answer: { body } }: ReadAnswered): Revision | null {
  return revision ?? (body.kind === 'json' ? (body.volatileRevision ?? null) : null);
}

/** The outcome with its body parsed, however it was read. */
export function parsed(outcome: Outcome<ReadBody>): Outcome {
  return outcome.kind === 'failed' ? outcome : parsedAnswered(outcome);
}

export function parsedAnswered(outcome: Answered<ReadBody>): Answered {
  return { ...outcome, answer: parsedAnswer(outcome.answer) };
}

export function parsedAnswer(answer: Answer<ReadBody>): Answer {
  const { body } = answer;
  return {
    ...answer,
    body: body.kind === 'json' ? parsedBody(body) : body,
  };
}

function parsedBody(body: JsonBody): AnswerBody {
  return { kind: 'value', value: JSON.parse(textOf(body)), size: body.bytes.byteLength };
}

/** The outcome as it travels to a page, whole. */
export function whole(outcome: ReadOutcome): Outcome<SentBody> {
  if (outcome.kind === 'failed') return outcome;
  const { answer } = outcome;
  const { body } = answer;
  return {
    ...outcome,
    answer: { ...answer, body: body.kind === 'json' ? wholeBody(body) : body },
  };
}

export function wholeBody(body: JsonBody, text: () => string = () => textOf(body)): JsonText | Chunked {
  if (body.chunks === null) return { kind: 'json', text: text() };
  const { path, envelope, count } = body.chunks;
  return { kind: 'chunked', path, envelope, chunks: count };
}

/** Always UTF-8, as RFC 8259 section 8.1 has it. */
export function textOf({ bytes }: JsonBody): string {
  return new TextDecoder().decode(bytes);
}

/** About how many bytes a body has. A parsed body that is no text was small, and counts as 0. */
export function sizeOfBody(body: ReadBody): number {
  if (body.kind !== 'value') return body.bytes.byteLength;
  return typeof body.value === 'string' ? body.value.length : 0;
}

/** Which rows of a list, and in which order. */
export interface Arrangement {
  /** Null where all rows are kept. */
  readonly keep: ((row: unknown) => boolean) | null;
  /** Negative where `one` comes first; null where the order stays. */
  readonly compare: ((one: unknown, other: unknown) => number) | null;
  /** The same for arrangements with the same result. */
  readonly key: string;
}
