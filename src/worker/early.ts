import type { EarlyEngine } from '../shared/early.ts';
import { isSafe } from '../shared/invocation.ts';
import { locate } from './address/expansion.ts';
import { EarlyRequests } from './engine/early-engine.ts';
import { looksLikePortal } from './contracts/portal.ts';
import { Exchange } from './exchange/exchange.ts';
import { browserSystem } from './platform/browser-system.ts';
import type { System } from './platform/system.ts';

/**
 * Bytes, at a time, of the bodies that browsers send on for a page that has gone. The Fetch standard allows 64 KiB to all
 * requests of a page together, until their answers have come whole, and fails those beyond that.
 */
const SENT_ON = 32_768;

/** The engine for the first requests of a page, until it has a worker. It needs nothing but address and exchange. */
export function earlyEngine(
  system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random' | 'pause'>,
): EarlyEngine {
  const exchange = new Exchange({ ...system, fetch: outliving(system.fetch) });
  return new EarlyRequests({ locate, exchange, looksLikePortal, now: () => system.clock.now() });
}

/** The same in a page. */
export function pageEarlyEngine(): EarlyEngine {
  return earlyEngine(browserSystem());
}

/** Small writes outlive their page: there is no worker yet that would see to them. */
function outliving(fetch: System['fetch']): System['fetch'] {
  let underWay = 0;
  return async (url, init) => {
    const { method = 'GET', body = null } = init;
    const size = sizeOf(body);
    if (isSafe(method) || underWay + size > SENT_ON) return fetch(url, init);
    underWay += size;
    try {
      return await fetch(url, { ...init, keepalive: true });
    } finally {
      underWay -= size;
    }
  };
}

/** Bytes at the most; bodies are texts or bytes by now. */
function sizeOf(body: RequestInit['body']): number {
  if (typeof body === 'string') return body.length * 3;
  return body instanceof ArrayBuffer ? body.byteLength : 0;
}
