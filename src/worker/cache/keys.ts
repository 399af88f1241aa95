import { askingHeaders } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { ResponseStore, StoredResponse } from '../contracts/response-store.ts';
import { saltedDigest } from '../platform/sha256.ts';
import type { System } from '../platform/system.ts';
import { namesOf, secretsOf, selectorsOf, valuesOf } from './selection.ts';

/** Ends the key of a signpost, and parts the key of a variant. */
const VARIANTS = '*';

/**
 * The keys of answers within their partition. The *bare* key is the URL, and a digest of what else sets answers apart:
 * the credentials mode, the functions that the answer went through, and the secrets that the page itself sends, while
 * nobody is signed in. Where answers vary by headers of the request, a *signpost* beside the bare key names the headers,
 * and each *variant* has a key of its own, with a digest of their values. A request that has none of these headers
 * has its answer under the bare key. No key tells a secret: those are digested with a salt that dies with the worker.
 */
export class Keys {
  readonly #system: Pick<System, 'digest'>;
  readonly #textOf: (functions: readonly string[]) => Promise<string>;
  readonly #responses: Pick<ResponseStore, 'nameOf'>;
  readonly #isIdentified: boolean;
  /** Known to this worker instance alone. */
  readonly #salt: string;

  constructor(
    system: Pick<System, 'digest' | 'uuid'>,
    responses: Pick<ResponseStore, 'nameOf'>,
    textOf: (functions: readonly string[]) => Promise<string>,
    isIdentified: boolean,
  ) {
    this.#system = system;
    this.#responses = responses;
    this.#textOf = textOf;
    this.#isIdentified = isIdentified;
    this.#salt = system.uuid();
  }

  /** What all keys of the URL begin with. */
  within(url: string): string | Promise<string> {
    return keysWithin(this.#responses, url);
  }

  async bare({ headers, policy }: Invocation, url: string): Promise<string> {
    const { credentials, transform, secretHeaders } = policy;
    const made = transform ? await this.#textOf(transform) : '';
    const secrets = this.#isIdentified ? '' : secretsOf(headers, secretHeaders);
    const apart = (credentials === 'same-origin' ? '' : credentials) + made;
    const within = await this.within(url);
    if (apart + secrets === '') return within;
    const salt = secrets === '' ? '' : this.#salt;
    return within + (await saltedDigest(this.#system, salt, JSON.stringify([apart, secrets])));
  }

  /** Where the request's answer is, given the signpost beside the bare key. */
  async selected(bare: string, signpost: StoredResponse | null, asking: Asking): Promise<string> {
    if (!signpost) return bare;
    const values = valuesOf(selectorsOf(namesOf(signpost.headers), asking.secretHeaders), asking.headers);
    if (values === '') return bare;
    return signpost.key + (await saltedDigest(this.#system, signpost.digest, values));
  }
}

/** What the page sets of a request, by which the server may choose among its answers. */
export interface Asking {
  readonly headers: readonly Header[];
  readonly secretHeaders: readonly string[];
}

export function askingOf({ headers, policy: { secretHeaders } }: Invocation): Asking {
  return { headers: askingHeaders(headers), secretHeaders };
}

/** True if the server may choose another answer than for a request without headers of its own. */
export function maySelect({ headers, secretHeaders }: Asking): boolean {
  const names = headers.map(([name]) => name.toLowerCase());
  return valuesOf(selectorsOf(names, secretHeaders), headers) !== '';
}

/** False if the answer under the bare key was asked for with other values of what it varies by. */
export function fitsBare({ headers }: Pick<StoredResponse, 'headers'>, asking: Asking): boolean {
  return valuesOf(selectorsOf(namesOf(headers), asking.secretHeaders), asking.headers) === '';
}

export function signpostKey(bare: string): string {
  return bare + VARIANTS;
}

export function isSignpost(key: string): boolean {
  return key.endsWith(VARIANTS);
}

/** The bare key of what is stored under a key of the URL whose keys begin with `within`. */
export function bareWithin(within: string, key: string): string {
  const [apart = ''] = key.slice(within.length).split(VARIANTS, 1);
  return within + apart;
}

/** The last text in the order of keys before all that begin with the prefix. */
export function beforeKeys(prefix: string): string {
  if (prefix === '') return '';
  const last = prefix.charCodeAt(prefix.length - 1);
  return `${prefix.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`;
}

/**
 * The key of the answer to a request without anything of its own, which the keys of all others for that URL begin with.
 * A fragment is not part of the request (RFC 9110 section 7.1), and a name has no spaces.
 */
export function keysWithin(responses: Pick<ResponseStore, 'nameOf'>, url: string): string | Promise<string> {
  const name = responses.nameOf(withoutFragment(url));
  return typeof name === 'string' ? keyOf(name) : name.then(keyOf);
}

/** The same in memory, where no name is hidden. */
export function keyWithin(url: string): string {
  return keyOf(withoutFragment(url));
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}

function keyOf(name: string): string {
  return `${name} `;
}

/** What the key calls its URL: see `ResponseStore.nameOf`. */
export function nameIn(key: string): string {
  return key.split(' ', 1)[0] ?? '';
}
