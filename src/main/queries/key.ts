import { pageSetHeaders } from '../../shared/header.ts';
import type { Invocation, RequestBody } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';

/**
 * A text that names what an invocation asks for; null where its body is bytes, which nobody asks for twice. Two
 * invocations with one key get the same answer, but for the time between them. The action's name, deadlines and
 * repetitions are no part of it.
 */
export function queryKey(invocation: Invocation): string | null {
  const { method, template, baseUrl, documentUrl, params, headers, body, policy } = invocation;
  if (body.kind === 'bytes') return null;
  // `history.pushState` changes the document's URL, but an absolute URL still leads to the same place.
  const isAbsolute = /^(?:\/|\w+:)/.test(baseUrl || template);
  return JSON.stringify([
    method,
    isAbsolute || documentUrl,
    baseUrl,
    template,
    params.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    pageSetHeaders(headers),
    bodyKey(body),
    policy.credentials,
    policy.transform,
  ]);
}

/** A long text is named by its beginning, its length and its hash: keys are kept. */
function bodyKey(body: Exclude<RequestBody, { readonly kind: 'bytes' }>): readonly unknown[] {
  if (body.kind === 'none') return [];
  const { kind, text } = body;
  const isLong = text.length > LIMITS.checkedLength;
  return isLong ? [kind, text.slice(0, LIMITS.checkedLength), text.length, hashOf(text)] : [kind, text];
}

/** A hash of 64 bits, as two numbers (FNV-1a with two primes). */
function hashOf(text: string): readonly number[] {
  let [one, other] = [0x811c9dc5, 0x811c9dc5];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return [one, other];
}
