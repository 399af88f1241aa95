/** Where the engine runs, seen from the page: something that can be posted to and that posts back. */
export interface Host {
  /** Null until it is decided, which it is once `ready` has settled. */
  readonly kind: HostKind | null;
  /** Resolves once messages can be posted; rejects with a reason where that cannot be had. */
  ready(): Promise<void>;
  /** Throws where there is nobody to post to. */
  post(message: unknown, transfer: readonly object[]): void;
  /** Hears every message; the returned function ends that. */
  listen(receive: (data: unknown) => void): () => void;
}

export type HostKind = 'service-worker' | 'page';
