import type { Failure } from '../../shared/failure.ts';
import type { FunctionCall, RowsQuery } from '../../shared/part.ts';
import type { Arrangement } from '../contracts/arrangement.ts';
import { call } from './functions.ts';
import type { Functions } from './functions.ts';

export type Arranging =
  | { readonly kind: 'arranging'; readonly arrangement: Arrangement | null }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** The functions by which a part is filtered and sorted; never rejects. */
export async function arrangementOf(functions: Functions, { filter, sorter }: RowsQuery): Promise<Arranging> {
  if (!filter && !sorter) return { kind: 'arranging', arrangement: null };
  const names = [filter, sorter].flatMap((each) => each?.name ?? []);
  const failure = await functions.refuse(names);
  if (failure) return { kind: 'failed', failure };
  try {
    const keep = filter ? await callOf(functions, filter) : null;
    const compare = sorter ? await callOf(functions, sorter) : null;
    const arrangement: Arrangement = {
      keep: keep && ((row) => Boolean(keep(row))),
      compare: compare && ((one, other) => Number(compare(one, other))),
      key: JSON.stringify([filter ?? null, sorter ?? null, await functions.textOf(names)]),
    };
    return { kind: 'arranging', arrangement };
  } catch (error) {
    return { kind: 'failed', failure: { code: 'function', message: String(error) } };
  }
}

async function callOf(
  functions: Functions,
  { name, given }: FunctionCall,
): Promise<(...rows: readonly unknown[]) => unknown> {
  const called = await functions.find(name);
  if (!called) throw new TypeError(`'${name}' is no function of rows`);
  const more = listOf(given);
  return (...rows) => call(called, [...rows, ...more]);
}

/** @throws SyntaxError or TypeError where the text is no list in JSON. */
function listOf(given: string): readonly unknown[] {
  const list: unknown = JSON.parse(given);
  if (Array.isArray(list)) return list;
  throw new TypeError('What a function is given beside rows must be a list');
}
