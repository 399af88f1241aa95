import { isRecord } from './shape.ts';
import type { SchemaIssue } from './failure.ts';

/**
 * The part of a schema that Offstage uses: https://standardschema.dev, version 1, types only. Schemas of zod, valibot,
 * arktype and others fit it structurally.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>;
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** Only for the compiler. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The output type of a schema. */
export type SchemaOutput<Schema extends StandardSchemaV1> = NonNullable<
  Schema['~standard']['types']
>['output'];

/** A schema that accepts everything unchanged. */
const BELIEVING: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'offstage', validate: (value) => ({ value }) },
};

/** The type of an action's answer without a schema: `response: Resource.type<Photo>()`. Only the compiler knows it. */
export function believe<T>(): StandardSchemaV1<unknown, T>;
export function believe(): StandardSchemaV1 {
  return BELIEVING;
}

/**
 * The type of an answer that is text, HTML included: `response: Resource.text`. Its action sends an `Accept` that
 * prefers text. An empty answer is an empty text.
 */
export const TEXT: StandardSchemaV1<unknown, string> = {
  '~standard': {
    version: 1,
    vendor: 'offstage',
    validate: (value) => {
      const text = value ?? '';
      return typeof text === 'string' ? { value: text } : { issues: [{ message: 'It is not text' }] };
    },
  },
};

/** True where a schema tests values at all. */
export function isTesting(schema: StandardSchemaV1 | undefined): boolean {
  return schema !== undefined && schema !== BELIEVING;
}

/** @throws TypeError where it is not a schema. A schema may be a function, as those of arktype are. */
export function assertSchema(action: string, schema: unknown): asserts schema is StandardSchemaV1 {
  const isSchema = isRecord(schema) || typeof schema === 'function';
  const props: unknown = isSchema && '~standard' in schema ? schema['~standard'] : null;
  if (isRecord(props) && typeof props['validate'] === 'function') return;
  throw new TypeError(
    `Response of '${action}' must be a Standard Schema, Resource.type<T>() or Resource.text`,
  );
}

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
