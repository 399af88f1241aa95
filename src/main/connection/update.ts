import { UPDATE_DEADLINE } from '../../shared/deadlines.ts';
import type { Failure } from '../../shared/failure.ts';
import { RestError } from '../error.ts';
import type { Host } from '../hosts/host.ts';
import { Late, within } from '../deadline.ts';
import type { Session } from '../session/session.ts';

/** Milliseconds for one attempt. After it, a page that knew nothing of it may have woken the old worker again. */
const ATTEMPT = 2_000;

/** A newer version of the worker. It is installed, and waits until every page of the old one is gone. */
export class Update {
  readonly #host: Host;
  readonly #session: Pick<Session, 'drain' | 'ready'>;
  #applying: Promise<void> | null = null;

  constructor(host: Host, session: Pick<Session, 'drain' | 'ready'>) {
    this.#host = host;
    this.#session = session;
  }

  /**
   * Replaces the old worker by the new one, for all pages of the origin; resolves when the new worker has answered this
   * page. The old worker ends first. Its loops go on in the new one, and calls that may be sent again are sent again.
   * `POST` and `PATCH` calls get ten seconds at most to end, then they fail with `worker-lost`. Pages keep the code
   * that they have loaded: reload a page that needs the new version's code.
   * @throws RestError with the code `timeout` where the new worker is not active after twenty seconds; it takes over
   * later, when the browser lets go of the old one.
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
      // A drain fails where the worker is dead or replaced. Then no drain is needed.
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
