import { Connection } from '../connection/connection.ts';
import { defaultConnection } from '../connection/default.ts';
import { ResourceCore } from './core.ts';
import type { CorePorts } from './core.ts';
import { aText, anObject, assertRules } from './option-checks.ts';
import type { Rules } from './option-checks.ts';

/** What a resource is made with beside its actions. */
export interface ResourceOptions {
  /** The connection to send through (default: the page's first, made at the first call if need be). */
  readonly connection?: Connection;
  /** Text put before every template, with exactly one slash between. */
  readonly baseUrl?: string;
  /** A name for messages and `inspect()`, put before the action's. Actions may be called `name` all the same. */
  readonly name?: string;
}

/** The core of a resource, on the page and the connection that it is made for. */
export function connectedCore(
  options: ResourceOptions,
  listeners: Pick<CorePorts, 'notify' | 'interest' | 'hears'>,
): ResourceCore {
  assertRules('a resource', options, resourceRules);
  const { connection, baseUrl = '', name = '' } = options;
  return new ResourceCore(baseUrl, {
    name,
    link: () => Connection.linkOf(connection ?? defaultConnection()),
    documentUrl: documentUrlOf,
    ...listeners,
  });
}

function resourceRules(): Rules<ResourceOptions> {
  return { connection: anObject(), baseUrl: aText(), name: aText() };
}

/**
 * What an action's relative URL is resolved against: the document's base, or, where there is no document as in Node,
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
