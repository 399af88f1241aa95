import { parseArgs } from 'node:util';
import { ENGINES, type EngineName, type Row } from './row.ts';

/** What a run of the bench was asked for. */
export interface Wish {
  readonly rows: readonly Row[];
  readonly engine: EngineName;
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
  const engine = engineOf(values.engine);
  const able = all.filter((row) => runsIn(row, engine));
  const named = positionals.map((name) => find(all, name));
  const unable = named.find((row) => !able.includes(row));
  if (unable) throw new RangeError(`The row ${unable.name} does not run in ${engine}`);
  const rows = named.length > 0 ? named : able.filter(({ slow }) => slow || !values.slow);
  return {
    rows,
    engine,
    rounds: values.rounds === undefined ? null : numberOf('rounds', values.rounds, 1),
    length: values.short || values.slow ? 'short' : 'long',
    seed: values.seed === undefined ? seed : numberOf('seed', values.seed, 0),
    json: values.json,
  };
}

function engineOf(name: string): EngineName {
  const engine = ENGINES.find((each) => each === name);
  if (engine) return engine;
  throw new RangeError(`The rows run in ${ENGINES.join(' or ')}, not in ${name}`);
}

/** A row that says nothing of engines is made for Chromium, and for nothing else. */
function runsIn({ engines = ['chromium'] }: Row, engine: EngineName): boolean {
  return engines.includes(engine);
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
