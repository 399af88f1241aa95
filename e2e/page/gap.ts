import { connect, Resource, type Connection, type Loop } from 'offstage';

/** Milliseconds between two requests of a poll, and of the one that the network is lost to. */
const INTERVAL = 200;
const CUT_OFF_INTERVAL = 1_000;

/** What a page has under way that it is about to end, or to change, in one round. */
interface Underway {
  readonly stopped: Loop;
  readonly aborting: AbortController;
  readonly closed: Connection;
}

let connections = 0;
let underway: Underway | null = null;
let isHidden = false;

/**
 * Has the page begin what lasts: a loop that goes on, one that rests while it is hidden, and one that is cut off, of
 * another origin, for none of an origin that fails goes on.
 */
export function begin(name: string, elsewhere: string): void {
  poll(`/gap?loop=kept&tab=${name}`);
  poll(`/gap?loop=paused&tab=${name}`, INTERVAL, 'pause');
  const connection = connect({ serviceWorker: '/service-worker.js', origins: [elsewhere] });
  poll(`${elsewhere}/cut-off?tab=${name}`, CUT_OFF_INTERVAL, 'continue', connection);
}

/** Has it begin what ends in this round: a loop to stop, a connection to close, and where it `holds` a call to abort. */
export function beginRound(name: string, holds: boolean): void {
  // Other options make another connection.
  connections += 1;
  const closed = connect({ serviceWorker: '/service-worker.js', timeout: 40_000 + connections });
  const aborting = new AbortController();
  const held = new Resource({ held: { method: 'GET', url: `/hold?key=${name}` } });
  if (holds) held.held({}, null, { signal: aborting.signal });
  poll(`/gap?loop=closed&tab=${name}`, INTERVAL, 'continue', closed);
  underway = { stopped: poll(`/gap?loop=stopped&tab=${name}`), aborting, closed };
}

/**
 * Says all at once: after so many milliseconds, or in the handler by which the page hears that it is resumed. Resolves
 * to when the worker that there is then has answered a greeting, in milliseconds of the epoch.
 */
export async function say(way: 'later' | 'resumed', after: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, after));
  if (way === 'later') {
    sayAll();
  } else {
    document.addEventListener('resume', sayAll, { once: true });
    document.dispatchEvent(new Event('resume'));
  }
  // Its storage may be late: that is an answer, too.
  await connect()
    .inspect()
    .catch(() => {});
  return Date.now();
}

function sayAll(): void {
  underway?.stopped.stop();
  underway?.aborting.abort();
  underway?.closed.close();
  underway = null;
  dispatchEvent(new Event('online'));
  isHidden = !isHidden;
  Object.defineProperty(document, 'hidden', { configurable: true, value: isHidden });
  document.dispatchEvent(new Event('visibilitychange'));
}

function poll(
  url: string,
  interval: number = INTERVAL,
  hidden: 'continue' | 'pause' = 'continue',
  connection: Connection = connect(),
): Loop {
  return new Resource({ live: { method: 'GET', url } }, { connection }).poll(
    'live',
    {},
    { interval, hidden },
  );
}
