import {
  isBrowsersOwn,
  isSecret,
  askingHeaders,
  DEFAULT_ACCEPT,
  headerValue,
  listed,
} from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import { saltedDigest } from '../platform/sha256.ts';
import type { System } from '../platform/system.ts';

/**
 * Whether a stored answer is for a request as it is sent, after the worker's hook and the credentials provider.
 * `unproven`: its server must confirm that; `other`: it is for another request, and never served to this one.
 */
export type Fit = 'same' | 'unproven' | 'other';

/** What a stored answer says of the request that brought it, where that was not as the page made it. */
export type Marks = Pick<StoredResponse, 'selectedBy' | 'proof'>;

/** Compares requests with those of stored answers. Keys go by what the page sets; this goes by what is sent. */
export class Selection {
  readonly #system: Pick<System, 'digest' | 'uuid'>;
  readonly #isIdentified: boolean;
  /** Digests of secrets, by the name that the stored answer has for them. They are never stored (invariant 14). */
  readonly #proofs = new RecentlyUsed<string, string>(LIMITS.descriptions);
  readonly #salt: string;

  /** `isIdentified`: somebody is signed in, whose answers these are, whatever credentials are sent. */
  constructor(system: Pick<System, 'digest' | 'uuid'>, isIdentified: boolean) {
    this.#system = system;
    this.#isIdentified = isIdentified;
    this.#salt = system.uuid();
  }

  /** `sent`: the headers of the request as it is sent; null if that is not known, since it is not to be sent. */
  async fitOf(stored: StoredResponse, invocation: Invocation, sent: readonly Header[] | null): Promise<Fit> {
    const { selectedBy, proof, sender, hidesVary = false } = stored;
    const {
      headers,
      policy: { secretHeaders },
    } = invocation;
    if (sender && !allows(invocation, sender)) return 'other';
    const isMore = (name: string): boolean => !namesOf(stored.headers).includes(name);
    if (hidesVary && tellingNames(sent ?? headers, secretHeaders).some(isMore)) return 'other';
    if (sent === null) return this.needsSent(stored) && !this.#isKnown(proof) ? 'other' : 'same';
    const names = namesOf(stored.headers);
    const values = valuesSent(selectorsOf(names, secretHeaders), headers, sent);
    if (!(await this.#isSelectedBy(selectedBy, values))) return 'other';
    const secrets = this.#secretsSent(names, headers, sent, secretHeaders);
    if (await this.#isProvenBy(proof, secrets)) return 'same';
    return this.#isIdentified ? 'unproven' : 'other';
  }

  /** True if only the headers as they are sent tell whose it is. */
  needsSent({ proof }: StoredResponse): boolean {
    return !this.#isIdentified && proof !== undefined;
  }

  /** The marks of an answer; those of the stored answer before stay where they say the same. */
  async marksOf(
    answer: readonly Header[],
    { headers, policy: { secretHeaders } }: Invocation,
    sent: readonly Header[],
    before: Marks | null,
  ): Promise<Marks> {
    const names = namesOf(answer);
    const values = valuesSent(selectorsOf(names, secretHeaders), headers, sent);
    const secrets = this.#secretsSent(names, headers, sent, secretHeaders);
    const selectedBy = values === null ? null : await this.#selectedBy(values, before?.selectedBy);
    const proof = secrets === null ? null : await this.#proofOf(secrets, before?.proof);
    return { ...(selectedBy !== null && { selectedBy }), ...(proof !== null && { proof }) };
  }

  /** True if this worker instance has brought the answer, or no secrets have. */
  #isKnown(proof: string | undefined): boolean {
    return proof === undefined || this.#proofs.peek(proof) !== undefined;
  }

  async #isSelectedBy(mark: string | undefined, values: string | null): Promise<boolean> {
    if (mark === undefined || values === null) return mark === undefined && values === null;
    return mark === (await this.#saltedWith(mark.slice(0, mark.lastIndexOf(' ')), values));
  }

  async #selectedBy(values: string, before: string | undefined): Promise<string> {
    const isSame = before !== undefined && (await this.#isSelectedBy(before, values));
    return isSame ? before : this.#saltedWith(this.#system.uuid(), values);
  }

  async #saltedWith(salt: string, values: string): Promise<string> {
    return `${salt} ${await saltedDigest(this.#system, salt, values)}`;
  }

  async #isProvenBy(proof: string | undefined, secrets: string | null): Promise<boolean> {
    if (proof === undefined || secrets === null) return proof === undefined && secrets === null;
    const known = this.#proofs.get(proof);
    return known !== undefined && known === (await saltedDigest(this.#system, this.#salt, secrets));
  }

  async #proofOf(secrets: string, before: string | undefined): Promise<string> {
    if (before !== undefined && (await this.#isProvenBy(before, secrets))) return before;
    const proof = this.#system.uuid();
    this.#proofs.set(proof, await saltedDigest(this.#system, this.#salt, secrets));
    return proof;
  }

  /**
   * The secrets that tell whose answer it is; null if nothing but the key does. While nobody is signed in, all that the
   * hook sets count; of somebody who is signed in, those that the answer varies by.
   */
  #secretsSent(
    names: readonly string[],
    headers: readonly Header[],
    sent: readonly Header[],
    secretHeaders: readonly string[],
  ): string | null {
    if (this.#isIdentified) {
      const varying = names.filter((name) => isSecret(name, secretHeaders) && !isBrowsersOwn(name));
      return varying.length === 0 ? null : exactlyOf(varying, sent);
    }
    const secrets = secretsOf(sent, secretHeaders);
    return secrets === secretsOf(headers, secretHeaders) ? null : secrets;
  }
}

/** True if a redirect to that origin may answer the page's request: another page of this origin may allow more. */
function allows({ documentUrl, policy: { origins } }: Invocation, sender: string): boolean {
  return [documentUrl, ...origins].some((each) => new URL(each).origin === sender);
}

/** The values of these headers as they are sent; null if they are as the page set them, as the key has them. */
function valuesSent(
  names: readonly string[],
  headers: readonly Header[],
  sent: readonly Header[],
): string | null {
  const values = valuesOf(names, sent);
  return values === valuesOf(names, headers) ? null : values;
}

// RFC 9111 section 4.1: an answer fits a request if the headers that its `Vary` names are as they were.

/** The names of `Vary`, in lower case, in order, each once. */
export function namesOf(headers: readonly Header[]): string[] {
  const names = headers
    .filter(([name]) => name.toLowerCase() === 'vary')
    .flatMap(([, value]) => value.split(','))
    .map((name) => name.trim().toLowerCase());
  return [...new Set(names)].filter((name) => name !== '').toSorted();
}

/**
 * Those of the names by which the requests of one user may differ. What only the browser sets is the same in all
 * requests of an origin; of cookies and other secrets `isTellable` decides.
 */
export function selectorsOf(names: readonly string[], secretHeaders: readonly string[]): string[] {
  return names.filter((name) => !isBrowsersOwn(name) && !isSecret(name, secretHeaders));
}

/** False if nobody can tell which requests the answer fits: it varies by anything, or by who asks. */
export function isTellable(
  headers: readonly Header[],
  secretHeaders: readonly string[],
  isIdentified: boolean,
): boolean {
  const names = namesOf(headers);
  if (names.includes('*')) return false;
  return isIdentified || !names.some((name) => isSecret(name, secretHeaders));
}

/**
 * The headers of an answer from another origin, which may keep its `Vary` to itself (Fetch, CORS-safelisted
 * response-header names): it may vary by all that its request was sent with, but for secrets, which always count.
 */
export function withVary(
  answer: readonly Header[],
  sent: readonly Header[],
  secretHeaders: readonly string[],
): readonly Header[] {
  if (headerValue(answer, 'vary') !== null) return answer;
  const telling = tellingNames(sent, secretHeaders);
  return telling.length === 0 ? answer : [...answer, ['vary', telling.join()]];
}

/** The names of the headers by which a server may choose its answer. Conditions choose between that and none. */
export function tellingNames(sent: readonly Header[], secretHeaders: readonly string[]): string[] {
  const names = askingHeaders(sent).map(([name]) => name.toLowerCase());
  return selectorsOf(names, secretHeaders).filter(
    (name) => !name.startsWith('if-') && valuesOf([name], sent) !== '',
  );
}

/** The values of these headers as one text, however they are written; empty if the request has none of them. */
export function valuesOf(names: readonly string[], headers: readonly Header[]): string {
  const telling = names.filter((name) => !isDefault(name, headerValue(headers, name) ?? ''));
  return textOf(telling, headers, normalized);
}

function isDefault(name: string, value: string): boolean {
  return name === 'accept' && value === DEFAULT_ACCEPT;
}

/** Lists whose order means nothing, and whose items are read in any case, but for values of parameters (RFC 9110 section 12.5). */
const UNORDERED = ['accept', 'accept-language'];

/** Spaces around the items of a list mean nothing (RFC 9110 section 5.6.1). */
function normalized(name: string, value: string): string {
  const items = listed(value).map((item) => item.trim());
  if (!UNORDERED.includes(name)) return items.join();
  return items.map(rangeOf).toSorted().join();
}

/** Between the semicolons of an item; semicolons in quotes do not divide. */
const PARTS = /(?:[^;"]|"(?:\\.?|[^"\\])*"?)+/g;

/** A media range or a language with its parameters, whose values alone are not read in any case. */
function rangeOf(item: string): string {
  const [range = '', ...parameters] = item.match(PARTS) ?? [];
  const written = parameters.map((each) => {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(each) ?? [];
    return `${name.trim().toLowerCase()}=${value.trim()}`;
  });
  return [range.trim().toLowerCase(), ...written].join(';');
}

/** The secret headers as one text; empty if the request has none. */
export function secretsOf(headers: readonly Header[], secretHeaders: readonly string[]): string {
  const names = headers.map(([name]) => name.toLowerCase()).filter((name) => isSecret(name, secretHeaders));
  return exactlyOf([...new Set(names)].toSorted(), headers);
}

/** The values of these headers as one text, each as it is written: another spelling is another secret. */
export function exactlyOf(names: readonly string[], headers: readonly Header[]): string {
  return textOf(names, headers, (_name, value) => value);
}

function textOf(
  names: readonly string[],
  headers: readonly Header[],
  spelled: (name: string, value: string) => unknown,
): string {
  const values = names.flatMap((name) => {
    const value = headerValue(headers, name);
    return value === null ? [] : [[name, spelled(name, value)]];
  });
  return values.length === 0 ? '' : JSON.stringify(values);
}
