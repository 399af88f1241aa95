import { isRecord } from './shape.ts';

/**
 * A schema of whichever library, as far as this one uses it: https://standardschema.dev, version 1, types only. What
 * zod, valibot, arktype and others make fits it structurally.
 */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  readonly '~standard': StandardProps<Input, Output>;
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** For the compiler alone. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

export type StandardResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** What a schema makes of what it takes. */
export type SchemaOutput<Schema extends StandardSchemaV1> = NonNullable<
  Schema['~standard']['types']
>['output'];

/** A schema that takes everything for what it is said to be. */
const BELIEVING: StandardSchemaV1 = {
  '~standard': { version: 1, vendor: 'offstage', validate: (value) => ({ value }) },
};

/**
 * Says what an action answers with where no schema does: `response: Resource.type<Photo>()`. The compiler believes it,
 * and nothing is tested.
 */
export function believe<T>(): StandardSchemaV1<unknown, T>;
export function believe(): StandardSchemaV1 {
  return BELIEVING;
}

/** Whether a schema looks at what it is given at all. */
export function isTesting(schema: StandardSchemaV1 | undefined): boolean {
  return schema !== undefined && schema !== BELIEVING;
}

/** @throws TypeError where a schema is none. It may be a function: those of arktype are. */
export function assertSchema(action: string, schema: unknown): asserts schema is StandardSchemaV1 {
  const isSchema = isRecord(schema) || typeof schema === 'function';
  const props: unknown = isSchema && '~standard' in schema ? schema['~standard'] : null;
  if (isRecord(props) && typeof props['validate'] === 'function') return;
  throw new TypeError(`Response of '${action}' must be a Standard Schema or Resource.type<T>()`);
}
