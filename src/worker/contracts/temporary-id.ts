import { TEMPORARY_MARK } from '../../shared/outbox.ts';
import type { GivenId } from '../../shared/outbox.ts';
import type { Answer } from '../../shared/outcome.ts';
import { pointed } from '../../shared/part.ts';

// A temporary id stands for the id of what a write creates until its server has named it. `src/main/resource/ticket.ts` makes them.

/** The source of a pattern for one. */
export const TEMPORARY_ID: string = `${TEMPORARY_MARK}[\\da-f]{32}`;

/** How long each is. */
export const LENGTH: number = TEMPORARY_MARK.length + 32;

const WHOLE = new RegExp(`^${TEMPORARY_ID}$`);

export function isTemporaryId(text: string): boolean {
  return WHOLE.test(text);
}

/** What is known of one. */
export type Naming =
  | { readonly kind: 'given'; readonly id: GivenId }
  /** The write that creates it has not ended. */
  | { readonly kind: 'awaited' }
  /** It will never have an id. */
  | { readonly kind: 'never'; readonly why: string };

/** What is known of one that stands for nothing, as far as anybody knows. */
export function unknownName(temporaryId: string): Naming {
  const why = `No write waits that creates '${temporaryId}', and it is not known that one has`;
  return { kind: 'never', why };
}

/** The ids that servers have given; undefined for a temporary id that has none, or none yet. */
export type Names = (temporaryId: string) => GivenId | undefined;

export function givenAmong(namings: ReadonlyMap<string, Naming>): Names {
  return (temporaryId) => {
    const naming = namings.get(temporaryId);
    return naming?.kind === 'given' ? naming.id : undefined;
  };
}

/** Half a surrogate pair, which neither a URL nor UTF-8 can carry. */
const BROKEN = /[\uD800-\uDFFF]/u;

/**
 * What a server has named the thing that a write has created; null where its answer has no name there. An empty text would lead
 * to the whole collection, and a number that was rounded to another thing.
 */
export function givenIn(answer: Answer<unknown> | null, pointer: string): GivenId | null {
  const body: { readonly value?: unknown } = Object(answer?.body);
  const id = pointed(body.value, pointer);
  if (typeof id === 'string') return id === '' || BROKEN.test(id) ? null : id;
  return typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER ? id : null;
}
