import { headerValue, withHeader } from '../../shared/header.ts';
import type { Header } from '../../shared/header.ts';

/** What one request says beyond its invocation. What is stored does not go by it. */
export interface Addition {
  /** Parameters of the query, in the place of all that have their name. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Each in the place of the one that has its name. */
  readonly headers: readonly Header[];
}

export const NO_ADDITION: Addition = { query: [], headers: [] };

export function addHeaders(headers: readonly Header[], added: readonly Header[]): readonly Header[] {
  return added.reduce<readonly Header[]>(
    (all, [name, value]) => withHeader(all, name, joined(all, name, value)),
    headers,
  );
}

/** What the page prefers stays beside what is added: RFC 7240 section 2 makes a list of it. */
function joined(headers: readonly Header[], name: string, value: string): string {
  const before = name.toLowerCase() === 'prefer' ? headerValue(headers, name) : null;
  return before === null || before === '' ? value : `${before}, ${value}`;
}
