// What a run of the benchmarks is to measure, and how.

import { parseArgs } from 'node:util';
import { Stop } from '../scripts/run.mjs';

export const NAMES = [
  'tick',
  'first',
  'invoke',
  'tabs',
  'loops',
  'memory',
  'size',
  'template',
  'cache-scale',
  'queries',
  'boot',
  'visit',
  'outbox',
  'optimistic',
];

/**
 * @typedef {object} Plan
 * @property {import('./server.mjs').BenchServer} server
 * @property {readonly number[]} rows Sizes of the list.
 * @property {readonly number[]} small Sizes at which ticks are measured beside these.
 * @property {number} rounds
 * @property {readonly number[]} sizes Answers that are stored.
 * @property {number} minutes Of the long run.
 * @property {boolean} short Only to see that all works.
 * @property {(what: string) => void} tell Progress, where the tables do not go.
 * @property {<T>(library: { name: string }, act: () => Promise<T>) => Promise<T | null>} attempt Null where it failed,
 *   which is a fault of the run.
 */

/** @param {readonly string[]} args */
export function wishOf(args) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      rows: { type: 'string' },
      sizes: { type: 'string' },
      minutes: { type: 'string' },
    },
  });
  const { json, short, write } = values;
  const unknown = positionals.find((name) => !NAMES.includes(name));
  if (unknown) throw new Stop(`There is no benchmark ${unknown}: take ${NAMES.join(', ')}.`);
  const rounds = Number(values.rounds ?? (short ? 1 : 5));
  const rows = (values.rows ?? (short ? '1000,10000' : '1000,10000,100000')).split(',').map(Number);
  // Lists of 2 kB and 20 kB, as most apps poll them.
  const small = values.rows ? [] : [20, 100];
  const sizes = (values.sizes ?? (short ? '100,2000' : '100,10000,100000')).split(',').map(Number);
  if (![rounds, ...rows, ...sizes].every((each) => Number.isInteger(each) && each > 0)) {
    throw new Stop('--rounds, --rows and --sizes take whole numbers above 0.');
  }
  const minutes = Number(values.minutes ?? (short ? 0.2 : 1));
  if (!(minutes > 0)) throw new Stop('--minutes takes a number above 0.');
  const names = NAMES.filter((name) => positionals.length === 0 || positionals.includes(name));
  // What stands in docs/benchmarks is all of it, measured in full.
  const isFull = names.length === NAMES.length && !short && !values.rounds && !values.rows && !values.sizes;
  return { names, rounds, rows, small, sizes, minutes, json, short, write: write || isFull };
}
