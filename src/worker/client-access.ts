import { isCall } from '../shared/guard.ts';
import type { Envelope } from '../shared/guard.ts';
import { WORKER_CALLS } from '../shared/protocol.ts';
import { refusal } from '../shared/refusal.ts';

/** A page as an app's own predicate sees it. */
export interface ClientDescription {
  readonly url: string;
  readonly frameType: string;
}

/** Which pages are served. */
export type AllowClient = (client: ClientDescription) => boolean;

/** A page, as against another worker or a port: the part of a WindowClient that Offstage uses. */
export interface WindowSource extends ClientDescription {
  readonly id: string;
  readonly type: 'window';
  postMessage(message: unknown, transfer: readonly object[]): void;
}

export function isWindow(source: unknown): source is WindowSource {
  if (typeof source !== 'object' || source === null) return false;
  return 'id' in source && 'postMessage' in source && 'type' in source && source.type === 'window';
}

/** A predicate that throws has not allowed anything. */
export function isAllowed(allow: AllowClient, { url, frameType }: WindowSource): boolean {
  try {
    return allow({ url, frameType });
  } catch {
    return false;
  }
}

/** A page that is not served is told so, rather than left waiting. */
export function turnAway(source: WindowSource, { offstage: session, message }: Envelope): void {
  if (!isCall(message, WORKER_CALLS)) return;
  const failure = { code: 'not-connected', message: `The worker does not serve ${source.url}` } as const;
  source.postMessage({ offstage: session, message: refusal(message.id, failure) }, []);
}
