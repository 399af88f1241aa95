import type { Random } from '../random.ts';

/** What is done, and in how many changes once. */
const FAULTS = { stop: 33, kill: 450, crash: 900, reload: 300, neighbour: 300 } as const;

export type Fault = keyof typeof FAULTS;
export type Count = Readonly<Record<Fault, number>>;

/** Milliseconds over which the changes around one fault are made. */
const SPAN = { from: 50, to: 800 };

/**
 * The same for every second kill of the browser, which comes at the end. What pages have taken is removed only from a loop
 * that has run for fifteen seconds: without such a calm all would be told again to each life, which could miss nothing.
 */
const CALM = { from: 17_000, to: 19_000 };

/** Milliseconds. */
const BUSIEST = 400;

/** One fault in the midst of the changes. */
export interface Step {
  readonly fault: Fault;
  /** Milliseconds over which changes are made, and after which of them the fault comes. */
  readonly span: number;
  readonly at: number;
  /** For how many of them before the fault, and a moment longer, the pages are busy. */
  readonly busy: number;
  /** How many are made. */
  readonly changes: number;
}

/** How many faults so many changes are worth. */
export function wanted(changes: number): Count {
  const of = (fault: Fault): number => Math.floor(changes / FAULTS[fault]);
  return {
    stop: Math.max(1, of('stop')),
    kill: of('kill'),
    crash: of('crash'),
    reload: of('reload'),
    neighbour: of('neighbour'),
  };
}

/** These faults in a random order, and between them all the changes. */
export function planOf(changes: number, random: Random): Step[] {
  let kills = 0;
  const times = faultsOf(changes, random).map((fault) => {
    if (fault === 'kill') kills += 1;
    const isCalm = fault === 'kill' && kills % 2 === 0;
    const { from, to } = isCalm ? CALM : SPAN;
    const at = random.between(isCalm ? from : 0, to);
    const busy = random.chance(0.5) ? random.between(0, Math.min(at, BUSIEST)) : 0;
    return { fault, span: random.between(from, to), at, busy };
  });
  const total = times.reduce((sum, { span }) => sum + span, 0);
  let [passed, made] = [0, 0];
  return times.map((time) => {
    passed += time.span;
    const share = Math.round((changes * passed) / total) - made;
    made += share;
    return { ...time, changes: share };
  });
}

function faultsOf(changes: number, random: Random): Fault[] {
  const { stop, kill, crash, reload, neighbour } = wanted(changes);
  const faults = [
    ...Array<Fault>(stop).fill('stop'),
    ...Array<Fault>(kill).fill('kill'),
    ...Array<Fault>(crash).fill('crash'),
    ...Array<Fault>(reload).fill('reload'),
    ...Array<Fault>(neighbour).fill('neighbour'),
  ];
  return faults
    .map((fault) => ({ fault, place: random.next() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ fault }) => fault);
}
