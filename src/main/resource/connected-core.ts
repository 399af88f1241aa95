import { Connection } from '../connection/connection.ts';
import { defaultConnection } from '../connection/default.ts';
import { ResourceCore } from './core.ts';
import type { Notice, NoticeType } from './notice.ts';
import { aText, anObject, assertRules } from './option-checks.ts';
import type { Rules } from './option-checks.ts';

/** The options of a resource, in addition to its actions. */
export interface ResourceOptions {
  /** The connection to send through (default: the page's first; the first call makes one if there is none). */
  readonly connection?: Connection;
  /** Text put before every template, joined with exactly one slash. */
  readonly baseUrl?: string;
  /** A name for messages and `inspect()`, put before the action's name. An action may still be called `name`. */
  readonly name?: string;
}

/** The listeners of a resource, by the names of its events: `getSuccess` of `get` alone, `success` of all. */
export interface Listeners {
  readonly has: (name: string) => boolean;
  readonly tell: (name: string, notice: Notice) => void;
}

/** Events about an action's answers or progress: each contains the id by which the result can be asked for. */
const ANSWERED: readonly NoticeType[] = ['success', 'started', 'sent', 'progress'];

/** The core of a resource, on its connection and in its page. It tells only events that have listeners. */
export function connectedCore(options: ResourceOptions, { has, tell }: Listeners): ResourceCore {
  assertRules('a resource', options, resourceRules);
  const { connection, baseUrl = '', name = '' } = options;
  const ownName = eventNames();
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
 * The URL against which an action's relative URL is resolved: the document's base. Without a document, as in Node, it
 * is the resource's `baseUrl`, whose origin then counts as the page's own.
 * @throws TypeError where there is neither.
 */
export function documentUrlOf(baseUrl: string, action: string): string {
  // A write that waits is stored with this URL. A fragment may hold a secret, as after a sign-in by redirect, and resolves nothing.
  if (typeof document !== 'undefined') return document.baseURI.replace(/#.*/s, '');
  if (/^https?:\/\//i.test(baseUrl) && URL.canParse(baseUrl)) return baseUrl;
  throw new TypeError(
    `'${action}' has no document to resolve its URL against: its baseUrl must be absolute, not '${baseUrl}'`,
  );
}

/** Names events, for example `getSuccess` for the action `get`. A text that is put together is slow to look up. */
function eventNames(): (action: string, type: NoticeType) => string {
  const made = new Map<string, Partial<Record<NoticeType, string>>>();
  return (action, type) => {
    const ofAction = made.get(action) ?? {};
    made.set(action, ofAction);
    return (ofAction[type] ??= action + type.charAt(0).toUpperCase() + type.slice(1));
  };
}
