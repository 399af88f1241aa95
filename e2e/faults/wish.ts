import { parseArgs } from 'node:util';
import type { Row } from './row.ts';

/** What a run of the bench was asked for. */
export interface Wish {
  readonly rows: readonly Row[];
  /** Null: each row's own number. */
  readonly rounds: number | null;
  readonly length: 'short' | 'long';
  readonly seed: number;
  readonly json: boolean;
}

/** @throws RangeError where the command line asks for what there is not. */
export function wishOf(args: readonly string[], all: readonly Row[], seed: number): Wish {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      seed: { type: 'string' },
      engine: { type: 'string', default: 'chromium' },
      short: { type: 'boolean', default: false },
      slow: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.engine !== 'chromium')
    throw new RangeError(`The rows run in chromium, not yet in ${values.engine}`);
  const named = positionals.map((name) => find(all, name));
  const rows = named.length > 0 ? named : all.filter(({ slow }) => slow || !values.slow);
  return {
    rows,
    rounds: values.rounds === undefined ? null : numberOf('rounds', values.rounds, 1),
    length: values.short || values.slow ? 'short' : 'long',
    seed: values.seed === undefined ? seed : numberOf('seed', values.seed, 0),
    json: values.json,
  };
}

function find(all: readonly Row[], name: string): Row {
  const row = all.find((each) => each.name === name);
  if (row) return row;
  throw new RangeError(`There is no row ${name}: take ${all.map((each) => each.name).join(', ')}`);
}

function numberOf(option: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`--${option} takes a whole number of at least ${least}, not '${text}'`);
}
