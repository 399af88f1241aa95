import { hexadecimal } from '../../shared/hexadecimal.ts';
import type { System } from '../platform/system.ts';

/** The part of WebCrypto that encryption needs. */
export type Crypto = NonNullable<System['crypto']>;

/** The keys of one database. A script can use them, but never read them. */
export interface CipherKeys {
  /** Encrypts values. */
  readonly values: CryptoKey;
  /** Makes digests of names, so that nobody can guess a name and compare. */
  readonly names: CryptoKey;
}

/** An encrypted value. */
export interface Sealed {
  /** 12 random bytes: each value has its own (NIST SP 800-38D section 8.2.2). */
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly sealed: ArrayBuffer;
}

export async function makeKeys({ subtle }: Crypto): Promise<CipherKeys> {
  const [values, names] = await Promise.all([
    subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']),
    subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
  ]);
  return { values, names };
}

/** Encrypts what a database holds, by AES-GCM. */
export class Cipher {
  readonly #crypto: Crypto;
  readonly #keys: CipherKeys;

  constructor(crypto: Crypto, keys: CipherKeys) {
    this.#crypto = crypto;
    this.#keys = keys;
  }

  /** `about` says what the bytes are: with other words they cannot be opened. */
  async seal(bytes: BufferSource, about: string): Promise<Sealed> {
    const iv = this.#crypto.getRandomValues(new Uint8Array(12));
    return { iv, sealed: await this.#crypto.subtle.encrypt(algorithm(iv, about), this.#keys.values, bytes) };
  }

  /** Null for anything that was not sealed with these keys and words. */
  async open(value: unknown, about: string): Promise<ArrayBuffer | null> {
    const { iv, sealed } = Object(value);
    if (!(iv instanceof Uint8Array) || !(sealed instanceof ArrayBuffer)) return null;
    try {
      return await this.#crypto.subtle.decrypt(algorithm(iv, about), this.#keys.values, sealed);
    } catch {
      return null;
    }
  }

  /** A digest that tells nothing of the text to those without the key, in hexadecimal. */
  async nameOf(text: string): Promise<string> {
    const digest = await this.#crypto.subtle.sign('HMAC', this.#keys.names, new TextEncoder().encode(text));
    return hexadecimal(new Uint8Array(digest));
  }
}

function algorithm(iv: Uint8Array, about: string): AesGcmParams {
  return {
    name: 'AES-GCM',
    iv: new Uint8Array(iv),
    additionalData: new TextEncoder().encode(about),
  };
}

/** The keys, if they are whole. */
export function intactKeys(value: unknown): CipherKeys | null {
  const { values, names } = Object(value);
  return isKey(values, 'AES-GCM') && isKey(names, 'HMAC') ? { values, names } : null;
}

function isKey(value: unknown, name: string): value is CryptoKey {
  return Object(Object(value).algorithm).name === name;
}
