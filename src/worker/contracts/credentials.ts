import type { Failure } from '../../shared/failure.ts';
import type { Header } from '../../shared/header.ts';

/** Headers that a page has given for an origin. An object stands for one gift: given again, it is another. */
export interface Credentials {
  readonly headers: readonly Header[];
}

/** True where a provider has given no header at all, as for a guest: that is as if there were none. */
export function areNone({ headers }: Credentials): boolean {
  return headers.length === 0;
}

export type Provided =
  /** No page provides for that origin. */
  | { readonly kind: 'none' }
  | { readonly kind: 'given'; readonly credentials: Credentials }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What the engine asks for right before it sends a request. No method rejects. */
export interface CredentialsPort {
  /** True if a page provides for this URL's origin. */
  isProvided(url: string): boolean;
  /** What is held for it, good or not; null if nothing is. */
  held(url: string): Credentials | null;
  /** What is to go with a request to this URL's origin. */
  provide(url: string): Promise<Provided>;
  /** The same after the server has answered 401 to these. */
  renew(url: string, refused: Credentials): Promise<Provided>;
}
