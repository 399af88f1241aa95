import type { Invocation } from '../../shared/invocation.ts';
import { urlOf } from './expansion.ts';

/** Where the answers of one template lie, whatever its values. */
export interface Base {
  /** What their URLs, each with a space after it, begin with. */
  readonly prefixes: readonly string[];
}

/** The bases of the templates of which a success of this invocation makes the answers stale. */
export function invalidatedBy(invocation: Invocation): Base[] {
  return (invocation.policy.invalidates ?? []).flatMap((template) => baseOf(invocation, template) ?? []);
}

/** True if it may be a URL of the template with that base. */
export function isBelow(url: string, { prefixes }: Base): boolean {
  return prefixes.some((prefix) => `${url} `.startsWith(prefix));
}

/**
 * The text before the first expression, resolved; of a template without expressions the URL alone, with any query. A
 * template that begins with an expression may lead anywhere below its directory.
 */
function baseOf(invocation: Invocation, template: string): Base | null {
  const [start = ''] = template.split('{', 1);
  const text = urlOf({ ...invocation, template: start || '.', params: [], body: { kind: 'none' } });
  if (text === null) return null;
  return { prefixes: start === template ? [`${text} `, `${text}?`] : [text] };
}
