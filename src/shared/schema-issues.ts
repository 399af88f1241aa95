import type { SchemaIssue } from './failure.ts';
import type { StandardIssue } from './standard-schema.ts';

/** An issue of a schema, as a failure contains it. */
export function issueOf({ message, path = [] }: StandardIssue): SchemaIssue {
  return { message, path: path.map((segment) => (typeof segment === 'object' ? segment.key : segment)) };
}

/** The first issue as a line of text, and the number of the others. */
export function summary([first, ...others]: readonly SchemaIssue[]): string {
  if (!first) return 'it does not say why';
  const where = first.path.length === 0 ? '' : `${first.path.map(String).join('.')}: `;
  return `${where}${first.message}${others.length === 0 ? '' : ` (and ${others.length} more)`}`;
}
