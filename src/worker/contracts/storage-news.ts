/** What becomes of a database. */
export type StorageNews =
  /** It cannot be opened: from now on there is only memory. */
  | { readonly kind: 'memory'; readonly reason: string }
  /** It is open. One that was made at another time has been deleted since, with all that it held. */
  | { readonly kind: 'opened'; readonly name: string; readonly madeAt: number }
  /** The browser had no more room for it, so stored answers were removed. */
  | { readonly kind: 'full' };

export type TellStorage = (news: StorageNews) => void;
