import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { UNNAMED } from '../contracts/response-store.ts';
import type { System } from '../platform/system.ts';
import type { Cipher } from './cipher.ts';
import type { Database } from './database.ts';

/** What keys call a URL: in an encrypted database a digest, so that nobody reads there which URLs were asked for. */
export class UrlNames {
  readonly #uuid: System['uuid'];
  readonly #database: Pick<Database, 'isEncrypted' | 'cipher' | 'connect'>;
  /** Digests by URL, and the cipher that made them. */
  readonly #names = new RecentlyUsed<string, string>(LIMITS.descriptions);
  /** Names by URL that were made up while the database was late. */
  readonly #madeUp = new RecentlyUsed<string, string>(LIMITS.descriptions);
  #cipher: Cipher | null = null;

  constructor(
    { uuid }: Pick<System, 'uuid'>,
    database: Pick<Database, 'isEncrypted' | 'cipher' | 'connect'>,
  ) {
    this.#uuid = uuid;
    this.#database = database;
  }

  of(url: string): string | Promise<string> {
    if (!this.#database.isEncrypted) return url;
    const { cipher } = this.#database;
    return (cipher === this.#cipher && this.#names.get(url)) || this.#digest(url);
  }

  /** A database that was deleted and made anew has other keys. In memory alone, a URL is called by itself. */
  async #digest(url: string): Promise<string> {
    const opened = await this.#database.connect().catch(() => 'late' as const);
    if (opened === null) return url;
    // There may be no keys yet, and what is stored once there are must not show the URL.
    const cipher = opened === 'late' ? this.#database.cipher : opened.cipher;
    if (cipher === null) return this.#makeUp(url);
    const name = await cipher.nameOf(url);
    if (cipher !== this.#cipher) this.#names.clear();
    this.#cipher = cipher;
    this.#names.set(url, name);
    return name;
  }

  #makeUp(url: string): string {
    const name = this.#madeUp.get(url) ?? UNNAMED + this.#uuid();
    this.#madeUp.set(url, name);
    return name;
  }
}
