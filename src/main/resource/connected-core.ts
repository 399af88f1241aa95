import { Connection } from '../connection/connection.ts';
import { defaultConnection } from '../connection/default.ts';
import { ResourceCore } from './core.ts';
import type { Notice, NoticeType } from './notice.ts';
import { aText, anObject, assertRules } from './option-checks.ts';
import type { Rules } from './option-checks.ts';

/** The options of a resource, beside its actions. */
export interface ResourceOptions {
  /** The connection to send through (default: the page's first, made at the first call if need be). */
  readonly connection?: Connection;
  /** Text put before every template, with exactly one slash between. */
  readonly baseUrl?: string;
  /** A name for messages and `inspect()`, put before the action's. Actions may be called `name` all the same. */
  readonly name?: string;
}

/** The listeners of a resource, by the names of its events: `getSuccess` of `get` alone, `success` of all. */
export interface Listeners {
  readonly has: (name: string) => boolean;
  readonly tell: (name: string, notice: Notice) => void;
}

/**
 * Events that tell of an action's answers, or of a step on their way: each says the id by which the result can be asked for.
 */
const ANSWERED: readonly NoticeType[] = ['success', 'started', 'sent', 'progress'];

/** The core of a resource on its connection, and on the page that it is made for. It tells only what is listened for. */
export function connectedCore(options: ResourceOptions, { has, tell }: Listeners): ResourceCore {
  assertRules('a resource', options, resourceRules);
  const { connection, baseUrl = '', name = '' } = options;
  const isHeard = (action: string, type: NoticeType): boolean => has(type) || has(ownName(action, type));
  return new ResourceCore(baseUrl, {
    name,
    link: () => Connection.linkOf(connection ?? defaultConnection()),
    documentUrl: documentUrlOf,
    notify: (notice) => {
      tell(ownName(notice.action, notice.type), notice);
      tell(notice.type, notice);
    },
    interest: (action) => ({
      started: isHeard(action, 'started'),
      sent: isHeard(action, 'sent'),
      progress: isHeard(action, 'progress'),
    }),
    hears: (action) => ANSWERED.some((type) => isHeard(action, type)),
  });
}

function resourceRules(): Rules<ResourceOptions> {
  return { connection: anObject(), baseUrl: aText(), name: aText() };
}

/**
 * The URL that an action's relative one is resolved against: the document's base, or, where there is no document as in Node,
 * the resource's `baseUrl`, whose origin then counts as the page's own.
 * @throws TypeError where there is neither.
 */
export function documentUrlOf(baseUrl: string, action: string): string {
  if (typeof document !== 'undefined') return document.baseURI;
  if (/^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl;
  throw new TypeError(
    `'${action}' has no document to resolve its URL against: its baseUrl must be absolute, not '${baseUrl}'`,
  );
}

/** `getSuccess` of `get`. */
function ownName(action: string, type: NoticeType): string {
  return action + type.charAt(0).toUpperCase() + type.slice(1);
}
