import { UPDATE_DEADLINE } from '../../shared/deadlines.ts';
import type { Failure } from '../../shared/failure.ts';
import { RestError } from '../error.ts';
import type { Host } from '../hosts/host.ts';
import { Late, within } from '../deadline.ts';
import type { Session } from '../session/session.ts';

/** Milliseconds to take over in; then the old worker may have been woken again by a page that knew nothing. */
const ATTEMPT = 2_000;

/** A newer version of the worker, installed, that waits until every page of the old one is gone. */
export class Update {
  readonly #host: Host;
  readonly #session: Pick<Session, 'drain' | 'ready'>;
  #applying: Promise<void> | null = null;

  constructor(host: Host, session: Pick<Session, 'drain' | 'ready'>) {
    this.#host = host;
    this.#session = session;
  }

  /**
   * Has the new worker replace the old one, for all pages of the origin; resolves when it has answered this page.
   * The old one ends first: loops go on in the new one, calls that may be sent again are, and `POST` and `PATCH` are
   * waited for, ten seconds at most, before they fail with `worker-lost`. Pages keep the code that they have loaded:
   * load them again where they need the new one's.
   * @throws RestError with the code `timeout` where the new worker is not active after twenty seconds; it will be when
   * the browser lets go of the old one.
   */
  apply(): Promise<void> {
    this.#applying ??= this.#apply().finally(() => {
      this.#applying = null;
    });
    return this.#applying;
  }

  async #apply(): Promise<void> {
    const end = new AbortController();
    await within(UPDATE_DEADLINE, 'The new worker', this.#replace(end.signal))
      .catch(rejectAsRest)
      .finally(() => end.abort());
    await this.#session.ready();
  }

  async #replace(signal: AbortSignal): Promise<void> {
    let active = false;
    while (!active && !signal.aborted) {
      // A worker that cannot be drained any more, since it is dead or has been replaced, need not be.
      await this.#session.drain(signal).catch(() => {});
      active = await this.#takeOver();
    }
  }

  async #takeOver(): Promise<boolean> {
    try {
      await within(ATTEMPT, 'The new worker', this.#host.skipWaiting());
      return true;
    } catch (error) {
      if (error instanceof Late) return false;
      throw error;
    }
  }
}

function rejectAsRest(error: unknown): never {
  throw error instanceof Late ? new RestError(TOO_LATE) : error;
}

const TOO_LATE: Failure = {
  code: 'timeout',
  message: `The new service worker was not active within ${UPDATE_DEADLINE} ms; it takes over when the old one ends`,
  timeout: UPDATE_DEADLINE,
};
