import type { Failure } from '../../shared/failure.ts';
import { headerValue, saysJson } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { ReadBody } from '../contracts/read-body.ts';
import type { Functions } from './functions.ts';

export type Transformed =
  | { readonly kind: 'transformed'; readonly bytes: ArrayBuffer }
  /** It has no body, or is no JSON though it says so. */
  | { readonly kind: 'as-it-is' }
  | { readonly kind: 'failed'; readonly failure: Failure };

const AS_IT_IS: Transformed = { kind: 'as-it-is' };

/**
 * Sends an answer through the functions that its action names, before it is compared, stored or told: to all that comes
 * later it is as if its server had sent it so. Never rejects.
 */
export async function transform(
  functions: Functions,
  { action, policy }: Invocation,
  { headers, body }: Answer<ReadBody>,
  bytes: ArrayBuffer,
): Promise<Transformed> {
  const names = policy.transform ?? [];
  if (names.length === 0 || bytes.byteLength === 0) return AS_IT_IS;
  if (!saysJson(headers)) return failed(`of '${action}' takes JSON; the answer is of ${typeOf(headers)}`);
  const read = body.kind === 'value' ? body : parsed(bytes);
  if (read === null) return AS_IT_IS;
  const made = await functions.apply(names, read.value);
  if (made.kind === 'failed') return made;
  return written(`of '${action}' (${names.join(', ')})`, made.value);
}

/** What JSON cannot say is cyclic, or a BigInt, or nothing at all. */
function written(what: string, value: unknown): Transformed {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined
      ? failed(`${what} gave nothing`)
      : { kind: 'transformed', bytes: bytesOf(text) };
  } catch (error) {
    return failed(`${what} gave what is no JSON: ${String(error)}`);
  }
}

/** Null where it is none, which is found out and told by who reads it next. */
function parsed(bytes: ArrayBuffer): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return null;
  }
}

function bytesOf(text: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = new TextEncoder().encode(text);
  return buffer.slice(byteOffset, byteOffset + byteLength);
}

function typeOf(headers: Answer['headers']): string {
  return headerValue(headers, 'content-type') ?? 'no type';
}

function failed(what: string): Transformed {
  return { kind: 'failed', failure: { code: 'function', message: `The 'transform' ${what}` } };
}
