import type { Answer, AnswerBody, Answered, Outcome, Revision } from '../../shared/outcome.ts';
import type { Patch } from '../../shared/patch.ts';
import type { Chunked, JsonText, SentBody } from '../../shared/delivery.ts';

/**
 * How the body of an answer is wanted: `parsed`; `checked`, where nobody in the worker looks into it; or `revised`,
 * where in addition it is compared with the revision before.
 */
export type Reading = 'parsed' | 'checked' | 'revised';

/** A body as the engine has read it. */
export type ReadBody = AnswerBody | JsonBody;

/** Bytes that are known to be JSON: a page parses them. */
export interface JsonBody {
  readonly kind: 'json';
  readonly bytes: ArrayBuffer;
  /** What made them of the revision before; null where they were not compared, or nothing small was found. */
  readonly patchFrom: PatchFrom | null;
  /** Null where it is short enough to be told as one text, or is no list. */
  readonly chunks: Chunks | null;
  /**
   * What the bytes go by as long as this worker lives, where they are compared but not stored and so have no revision;
   * missing otherwise.
   */
  readonly volatileRevision?: Revision;
}

/** The rows of a long list, in so many texts that to parse one of them holds nobody up. */
export interface Chunks {
  /** Where the list lies, as keys from the root. */
  readonly path: readonly string[];
  readonly count: number;
  /** The text of the body with `null` in the list's place. */
  readonly envelope: string;
  /** The text of a list, made anew each time. */
  text(index: number): string;
}

/** From one revision to the next. */
export interface PatchFrom {
  readonly from: Revision;
  /** Null where nothing has changed. */
  readonly patch: Patch | null;
}

export type ReadOutcome = Outcome<ReadBody>;
export type ReadAnswered = Answered<ReadBody>;

/** What the bytes of an answer go by: its revision, else their mark; null where nothing is made of them. */
export function stateOf({ revision, answer: { body } }: ReadAnswered): Revision | null {
  return revision ?? (body.kind === 'json' ? (body.volatileRevision ?? null) : null);
}

/** The outcome with its body parsed, whatever it was read as. */
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
