import type { SchemaIssue } from './failure.ts';
import type { StandardIssue } from './standard-schema.ts';

/** What a schema found wrong, as a failure tells it. */
export function issueOf({ message, path = [] }: StandardIssue): SchemaIssue {
  return { message, path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)) };
}

/** The first of them in a line of text. */
export function summary([first, ...others]: readonly SchemaIssue[]): string {
  if (!first) return 'it does not say why';
  const where = first.path.length === 0 ? '' : `${first.path.map(String).join('.')}: `;
  return `${where}${first.message}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
}
