import { askingHeaders, headerValue, isSecret, pageSetHeaders } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { ResponseStore } from '../contracts/response-store.ts';
import { saltedDigest } from '../platform/sha256.ts';
import type { System } from '../platform/system.ts';

/** True if a call may use the cache at all. */
export function isCacheable(invocation: Invocation): boolean {
  return invocation.method === 'GET' && invocation.policy.cache !== 'network-only';
}

/** RFC 9111 section 3, for a private cache that keeps whole, successful answers; a 206 is only a part of one. */
export function isStorable(invocation: Invocation, answer: Answer<unknown>): boolean {
  const { status } = answer;
  return (
    status >= 200 &&
    status < 300 &&
    status !== 206 &&
    !forbidsStoring(answer.headers) &&
    !forbidsStoring(invocation.headers)
  );
}

/** RFC 9110 section 5.6.4: a backslash escapes a quote. Text without an end matches too, to be read only once. */
const QUOTED = /"(?:\\.|[^"\\])*("?)/g;

/** RFC 9111 sections 5.2.1.5 and 5.2.2.5. Text in quotes is an argument, not a directive. */
export function forbidsStoring(headers: readonly Header[]): boolean {
  const value = headerValue(headers, 'cache-control') ?? '';
  const directives = value.replaceAll(QUOTED, (text: string, end: string) => (end ? '' : text)).split(',');
  return directives.some((each) => each.trim().toLowerCase() === 'no-store');
}

/** RFC 9111 section 3.1: these are about the connection, as are those that `Connection` names, or about cookies. */
const NOT_STORED = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'set-cookie',
];

/** Without the headers that RFC 9111 section 3.1 and invariant 14 keep out of storage. */
export function storableHeaders(headers: readonly Header[], secretHeaders: readonly string[]): Header[] {
  const named = (headerValue(headers, 'connection') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase());
  const dropped = new Set([...NOT_STORED, ...named]);
  return headers.filter(([name]) => !dropped.has(name.toLowerCase()) && !isSecret(name, secretHeaders));
}

/**
 * The keys of answers within their partition. A key holds the headers, the credentials mode and the functions that an
 * answer went through only as a salted digest, so that no secret is ever stored or can be guessed (invariant 14).
 */
export class Keys {
  readonly #system: Pick<System, 'digest' | 'uuid'>;
  readonly #responses: Pick<ResponseStore, 'salt'>;
  readonly #textOf: (functions: readonly string[]) => Promise<string>;
  /** The last one that the database returned. */
  #salt: string | null = null;

  constructor(
    system: Pick<System, 'digest' | 'uuid'>,
    responses: Pick<ResponseStore, 'salt'>,
    textOf: (functions: readonly string[]) => Promise<string>,
  ) {
    this.#system = system;
    this.#responses = responses;
    this.#textOf = textOf;
  }

  async of(invocation: Invocation, url: string): Promise<string> {
    const { headers, policy } = invocation;
    const made = policy.transform ? await this.#textOf(policy.transform) : '';
    const { credentials } = policy;
    const varying =
      (credentials === 'same-origin' ? '' : credentials) + pageSetHeaders(askingHeaders(headers)) + made;
    if (varying === '') return keyWithin(url);
    const salt = await this.#saltNow();
    return keyWithin(url) + (await saltedDigest(this.#system, salt, varying));
  }

  /**
   * Reads the salt every time, since a database that was deleted meanwhile has a new one. If that fails or is late, the
   * last one most likely holds: an answer must still be stored, or the older one forgotten (invariant 8).
   */
  async #saltNow(): Promise<string> {
    try {
      this.#salt = await this.#responses.salt(this.#system.uuid());
    } catch (error) {
      if (this.#salt === null) throw error;
    }
    return this.#salt;
  }
}

/**
 * The key of the answer to a request without headers of its own, which the keys of all others for that URL begin with.
 * A fragment is not part of the request (RFC 9110 section 7.1), and a URL has no spaces.
 */
export function keyWithin(url: string): string {
  return `${url.split('#', 1)[0] ?? ''} `;
}

export function urlOf(key: string): string {
  return key.split(' ', 1)[0] ?? '';
}
