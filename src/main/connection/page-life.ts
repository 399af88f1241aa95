/** What a session wants to know of its page. */
export interface PageFollower {
  online(): void;
  leave(): void;
  show(): void;
  setHidden(hidden: boolean): void;
}

/**
 * Tells a session when its page goes, comes back from the back/forward cache or a freeze, and when the network is
 * back. The returned function ends that.
 */
export function followPage(follower: PageFollower): () => void {
  // A process has none of this.
  if (typeof document === 'undefined') return () => {};
  const end = new AbortController();
  const { signal } = end;
  addEventListener('online', () => follower.online(), { signal });
  addEventListener('pagehide', () => follower.leave(), { signal });
  addEventListener('pageshow', (event) => (event.persisted ? follower.show() : undefined), { signal });
  document.addEventListener('visibilitychange', () => follower.setHidden(document.hidden), { signal });
  follower.setHidden(document.hidden);
  // Messages that came while the page was frozen are heard first, so that its greeting says that it has them.
  document.addEventListener('resume', () => setTimeout(() => follower.show()), { signal });
  return () => end.abort();
}
