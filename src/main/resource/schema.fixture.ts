import type { StandardResult, StandardSchemaV1 } from '../../shared/standard-schema.ts';

/** A schema as libraries make it, from a function that tests and transforms. */
export function schema<Output>(
  validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>,
): StandardSchemaV1<unknown, Output> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

export interface Titled {
  readonly title: string;
}

/** Accepts rows with a title, and puts that in capitals. */
export const TITLED: StandardSchemaV1<unknown, Titled> = schema(titled);

/** The same, some turns later. */
export const TITLED_LATER: StandardSchemaV1<unknown, Titled> = schema((value) =>
  new Promise((resolve) => setImmediate(resolve)).then(() => titled(value)),
);

function titled(value: unknown): StandardResult<Titled> {
  const title = typeof value === 'object' && value !== null && 'title' in value ? value.title : undefined;
  if (typeof title === 'string') return { value: { title: title.toUpperCase() } };
  return { issues: [{ message: 'is no text', path: ['rows', { key: 0 }, 'title'] }, { message: 'is odd' }] };
}
