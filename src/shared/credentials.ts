import type { Header } from './header.ts';

/** Why the worker asks: it has none yet, they are about to expire, or a server answered 401 to them. */
export type CredentialsReason = 'first' | 'expired' | 'refused';

/** What a page says to the worker's question. A provider may take a while, so that it is asked is said at once. */
export type CredentialsReply =
  | { readonly kind: 'asking' }
  | GivenCredentials
  /** The provider threw, or gave what cannot be sent. */
  | { readonly kind: 'failed'; readonly message: string };

export interface GivenCredentials {
  readonly kind: 'given';
  readonly headers: readonly Header[];
  /** Milliseconds of the epoch; null where they do not expire. */
  readonly expiresAt: number | null;
}
