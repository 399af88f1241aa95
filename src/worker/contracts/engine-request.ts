import { headerValue, withHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Revision, Outcome } from '../../shared/outcome.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import type { Addressee, Delivery, SentBody } from '../../shared/delivery.ts';
import type { EarlyChunk, JsonBody, ReadAnswered, ReadOutcome, TakeEarly } from './read-body.ts';

interface EngineRequest {
  readonly invocation: Invocation;
  /** The steps of the request that are told to `say`. */
  readonly interest: EventInterest;
  readonly say: (step: StepDelivery) => void;
  /** Tells the first rows of a long answer while the others are read; null if nobody wants them. */
  readonly takeEarly: TakeEarly | null;
  readonly signal: AbortSignal;
}

export interface CallRequest extends EngineRequest {
  readonly page: string;
  /** Tells the page a stored answer before the server's: at most once, and not after the call has settled. */
  readonly tellFirst: (answer: ReadAnswered) => void;
  /** True where it fails with code `credentials` rather than being sent while no page provides any (default: false). */
  readonly needsCredentials?: boolean;
}

/** One request of a loop, which the pages that follow the loop share. */
export interface TickRequest extends EngineRequest {
  readonly addition: Addition;
  /** True if the server holds the request until there is news: an answer without content says that there is none. */
  readonly held: boolean;
  readonly reading: TickReading;
  /** True if the answer is told before it is stored. Otherwise it has a revision only once it is stored. */
  readonly writeBehind: boolean;
}

export type TickReading =
  | { readonly kind: 'parsed' }
  /** Compared with the answer before. `volatileRevision` names that answer if it is not stored; else it is null. */
  | { readonly kind: 'revised'; readonly volatileRevision: Revision | null };

/** What one request says beyond its invocation. What is stored does not depend on it. */
export interface Addition {
  /** Query parameters. Each replaces all of the same name. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Each replaces the one of the same name. */
  readonly headers: readonly Header[];
}

export const NO_ADDITION: Addition = { query: [], headers: [] };

export function addHeaders(headers: readonly Header[], added: readonly Header[]): readonly Header[] {
  return added.reduce<readonly Header[]>(
    (all, [name, value]) => withHeader(all, name, joined(all, name, value)),
    headers,
  );
}

/** The page's own preferences stay beside those that are added: RFC 7240 section 2 makes a list of them. */
function joined(headers: readonly Header[], name: string, value: string): string {
  const before = name.toLowerCase() === 'prefer' ? headerValue(headers, name) : null;
  return before === null || before === '' ? value : `${before}, ${value}`;
}

/** One delivery, or several in a row, each made when its turn comes. */
export type Deliveries = Delivery | readonly (() => Delivery)[];

/** What an addressee has been told of a body before its outcome. */
export interface ToldEarly {
  readonly bytes: ArrayBufferLike;
  readonly count: number;
}

/** Tells an early chunk with `publish`. Returns what the addressee has been told by then. */
export function tellEarly(
  { bytes, index, path, text }: EarlyChunk,
  to: Addressee,
  publish: (make: () => Delivery) => void,
): ToldEarly {
  publish(() => ({ kind: 'chunk', to, index, path, text: text() }));
  return { bytes, count: index + 1 };
}

/** The outcome told as `last`, after those chunks of its body that were not told early. */
export function inChunks(
  outcome: ReadOutcome,
  sent: Outcome<SentBody>,
  to: Addressee,
  told: ToldEarly | null,
  last: () => Delivery,
): Deliveries {
  const body = sent.kind === 'answered' && sent.answer.body.kind === 'chunked' ? jsonIn(outcome) : null;
  const chunks = body?.chunks;
  if (!body || !chunks) return last();
  const before = told?.bytes === body.bytes ? told.count : 0;
  const each = Array.from({ length: chunks.count - before }, (_, number) => (): Delivery => {
    const index = before + number;
    return { kind: 'chunk', to, index, path: chunks.path, text: chunks.text(index) };
  });
  return [...each, last];
}

function jsonIn(outcome: ReadOutcome): JsonBody | null {
  if (outcome.kind === 'failed') return null;
  const { body } = outcome.answer;
  return body.kind === 'json' ? body : null;
}

/** Makes the delivery of one step of a request. */
export type StepDelivery = (to: Addressee) => Delivery;
