import { headerValue } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import { LIMITS } from '../../shared/limits.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import type { StoredResponse } from '../contracts/response-store.ts';
import { askingOf, fitsBare, keyWithin } from './keys.ts';
import type { Received } from './received.ts';

/**
 * By URL, the ETags of versions that are newer than what is stored: a write of ours has made one, or an answer that is not stored
 * has brought it. The outdated answer is stored with it (`StoredResponse.newer`), so that the next worker instance knows it.
 */
export class NewerVersions {
  readonly #tags = new RecentlyUsed<string, string>(LIMITS.descriptions);
  /** By URL, the version that a write said as it was refused, where nothing was seen of the URL since. */
  readonly #refused = new RecentlyUsed<string, string>(LIMITS.descriptions);

  /** `tag` is empty where nobody has said what the newer version is called. */
  note(url: string, tag: string): void {
    this.#tags.set(keyWithin(url), tag);
    this.#refused.delete(keyWithin(url));
  }

  /** An answer was told that is not stored. One that may be from before a write says nothing, nor does one for certain headers. */
  see(invocation: Invocation, url: string, { answer, sender, isOutdated = false }: Received): void {
    const { headers } = answer;
    if (!isOutdated && fitsBare({ headers }, askingOf(invocation)))
      this.note(url, versionIn({ headers, sender: sender ?? '' }));
  }

  /** Null where none is known to be newer. */
  of(url: string): string | null {
    return this.#tags.get(keyWithin(url)) ?? null;
  }

  /** What is stored is the newest. */
  forget(url: string): void {
    this.#tags.delete(keyWithin(url));
    this.#refused.delete(keyWithin(url));
  }

  refuse(url: string, tag: string): void {
    this.#refused.set(keyWithin(url), tag);
  }

  isRefused(url: string, tag: string): boolean {
    return this.#refused.peek(keyWithin(url)) === tag;
  }

  clear(): void {
    this.#tags.clear();
    this.#refused.clear();
  }
}

/**
 * The ETag of the newest version that is known of what a stored answer is about; empty where it has none. Another origin's versions
 * are others; an empty sender stands for the own one.
 */
export function versionIn({
  headers,
  sender,
  newer,
}: Pick<StoredResponse, 'headers' | 'sender' | 'newer'>): string {
  return newer ?? (sender ? '' : (headerValue(headers, 'etag') ?? ''));
}
