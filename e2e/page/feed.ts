import { Resource } from 'offstage';

/** What a page that follows the changes says: of itself as it begins, of each answer, of each trouble. */
export interface Heard {
  readonly tab: string;
  /** The name of this life of the page. */
  readonly life: string;
  /** How many reports it has made before. */
  readonly place: number;
  readonly numbers: readonly number[];
  /** A failure or a reset, where it was told of one. */
  readonly trouble: string | null;
  /** The worker's lives that it has seen since it said something last. */
  readonly workers: readonly string[];
}

/** Follows the numbered changes for as long as the page lives. */
export function followChanges(tab: string): void {
  const life = crypto.randomUUID();
  const workers = new Set<string>();
  let place = 0;
  const tell = (numbers: readonly number[], trouble: string | null = null): void => {
    say({ tab, life, place, numbers, trouble, workers: [...workers] });
    place += 1;
    workers.clear();
    // No timer: Firefox lets none fire for seconds where answers come one upon the other.
    void look(workers);
  };
  tell([]);
  const feed = new Resource({ changes: { method: 'GET', url: '/changes' } });
  feed.addListener('changesSuccess', ({ response }) => tell(Object(response).numbers));
  feed.addListener('changesError', ({ error }) => tell([], String(error)));
  feed.addListener('reset', ({ error }) => tell([], `reset: ${String(error)}`));
  feed.longPoll('changes', {}, { cursor: { from: { body: '/last' }, to: { query: 'since' }, initial: 0 } });
}

/**
 * The server has it when this returns, and only then does the worker hear that the page has taken the answer. A page that is
 * being unloaded may have its requests cut, and sends nothing any more but beacons.
 */
function say(heard: Heard): void {
  const body = JSON.stringify(heard);
  if (!isSent(body)) navigator.sendBeacon('/heard-late', body);
}

function isSent(body: string): boolean {
  const request = new XMLHttpRequest();
  request.open('POST', '/heard', false);
  try {
    request.send(body);
  } catch {
    return false;
  }
  return request.status === 200;
}

/** Seen by their locks, without a message, which would wake one. */
async function look(seen: Set<string>): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  for (const { name = '' } of held) if (name.startsWith('offstage:worker:')) seen.add(name);
}
