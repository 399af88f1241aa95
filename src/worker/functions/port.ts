import type { Failure } from '../../shared/failure.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { Answer } from '../../shared/outcome.ts';
import type { RowsQuery } from '../../shared/part.ts';
import type { ReadBody } from '../contracts/read-body.ts';
import { arrangementOf } from './arrangement.ts';
import type { Arranging } from './arrangement.ts';
import type { Functions } from './functions.ts';
import { transform } from './transform.ts';
import type { Transformed } from './transform.ts';

/** What is done with functions of the app's own. */
export interface FunctionsPort {
  /** Why these cannot be used; null where they can. */
  readonly refuse: (names: readonly string[]) => Promise<Failure | null>;
  readonly transform: (
    invocation: Invocation,
    answer: Answer<ReadBody>,
    bytes: ArrayBuffer,
  ) => Promise<Transformed>;
  /** How a part is filtered and sorted. */
  readonly arrangementOf: (part: RowsQuery) => Promise<Arranging>;
}

export function functionsPort(functions: Functions): FunctionsPort {
  return {
    refuse: (names) => functions.refuse(names),
    transform: (invocation, answer, bytes) => transform(functions, invocation, answer, bytes),
    arrangementOf: (part) => arrangementOf(functions, part),
  };
}
