import { isSecret } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';
import { LIMITS } from '../../shared/limits.ts';
import { TEMPORARY_MARK } from '../../shared/outbox.ts';
import type { Ticket } from '../../shared/outbox.ts';
import { makeToken } from '../session/keepalive.ts';
import type { Action } from './action.ts';
import type { InputParams } from './params.ts';

/** The call that is to be queued. */
export interface Queueing {
  readonly action: Action;
  readonly params: InputParams;
  readonly data: unknown;
  readonly headers: readonly Header[];
  readonly secretHeaders: readonly string[];
  readonly baseUrl: string;
  /** What relative URLs are resolved against. */
  readonly documentUrl: string;
  /** The resource's name, as writes have it. */
  readonly resource: string;
}

/**
 * What makes a call a write that waits.
 * @throws TypeError where it has secret headers, which are not stored, or its lane is not a text; any error of `lane`.
 */
export function ticketOf({ action, params, data, headers, secretHeaders, ...rest }: Queueing): Ticket {
  const secret = headers.find(([name]) => isSecret(name, secretHeaders));
  if (secret) {
    const message = `'${action.name}' is queued, and secret headers are not stored: give '${secret[0]}' by connection.credentials`;
    throw new TypeError(message);
  }
  const lane: unknown = action.options.lane
    ? action.options.lane(params, data)
    : laneOf(action.template, rest.baseUrl, rest.documentUrl);
  if (typeof lane !== 'string' || lane.length > LIMITS.outboxName)
    throw new TypeError(
      `The lane of '${action.name}' must be a text of at most ${LIMITS.outboxName} characters`,
    );
  const [resource, name] = [rest.resource, brief(action.name)];
  const { creates: at, optimistic } = action.options;
  return {
    entry: makeToken(),
    key: makeToken(),
    resource,
    action: name,
    lane,
    ...(optimistic && { isShown: true }),
    ...(at !== undefined && { creates: { temporaryId: `${TEMPORARY_MARK}${makeToken()}`, at } }),
  };
}

/** The URL before the first parameter: all writes to `/photos` and to `/photos/{id}` keep their order, however they are declared. */
function laneOf(template: string, baseUrl: string, documentUrl: string): string {
  const [begin = ''] = template.split('{', 1);
  const path = baseUrl === '' ? begin : `${baseUrl.replace(/\/+$/, '')}/${begin.replace(/^\/+/, '')}`;
  if (path === '' || !URL.canParse(path, documentUrl)) return brief(path);
  const { origin, pathname, search } = new URL(path, documentUrl);
  const isOwn = origin === new URL(documentUrl).origin;
  return brief(`${isOwn ? '' : origin}${pathname.replace(/\/+$/, '')}${search}`);
}

/** No more is stored of a name. */
export function brief(name: string): string {
  return name.slice(0, LIMITS.outboxName);
}
