import { Resource, type Loop } from 'offstage';

/** Polls once a second, or long-polls; true as soon as the first answer is told, false where none is in time. */
export async function hearsTick(
  url: string,
  deadline: number,
  kind: 'poll' | 'longPoll' = 'poll',
): Promise<boolean> {
  const resource = new Resource({ live: { method: 'GET', url } });
  const heard = await new Promise<boolean>((resolve) => {
    resource.addListener('liveSuccess', () => resolve(true));
    if (kind === 'poll') resource.poll('live', {}, { interval: 1_000 });
    else resource.longPoll('live');
    setTimeout(() => resolve(false), deadline);
  });
  resource.dispose();
  return heard;
}

/** A loop's answers so far, the newest last. */
export interface Following {
  readonly heard: { readonly version: number; readonly at: number }[];
  readonly errors: string[];
}

/** What the page follows: kept here, since a test's handles do not outlive the back/forward cache. */
export const FOLLOWED: Following[] = [];

/** What follows it, to be stopped. */
export const LOOPS: Loop[] = [];

/** Every time that the page was shown: whether it came out of the back/forward cache. */
export const SHOWN: boolean[] = [];
addEventListener('pageshow', ({ persisted }) => SHOWN.push(persisted));

/** Follows a document that says its version, for as long as the page lives. */
export function follow(url: string, kind: 'poll' | 'longPoll', interval = 200): void {
  const following: Following = { heard: [], errors: [] };
  FOLLOWED.push(following);
  const resource = new Resource({ live: { method: 'GET', url } });
  resource.addListener('liveSuccess', ({ response }) =>
    following.heard.push({ version: versionOf(response), at: Date.now() }),
  );
  resource.addListener('liveError', ({ error }) => following.errors.push(String(error)));
  LOOPS.push(kind === 'poll' ? resource.poll('live', {}, { interval }) : resource.longPoll('live'));
}

function versionOf(response: unknown): number {
  if (typeof response !== 'object' || response === null || !('version' in response)) return Number.NaN;
  return Number(response.version);
}
