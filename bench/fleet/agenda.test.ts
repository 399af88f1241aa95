import { describe, expect, test } from 'vitest';
import { Agenda, newcomer } from './agenda.ts';

/** An agenda on which clients of these due times stand, numbered in their order. */
function agendaOf(dueAt: readonly number[], end = 100_000): Agenda {
  const agenda = new Agenda(dueAt.length, end);
  for (const [number, each] of dueAt.entries()) agenda.plan(newcomer(number, each));
  return agenda;
}

/** Who is visited until then, and when. */
function visits(agenda: Agenda, until: number): [number, number][] {
  const seen: [number, number][] = [];
  agenda.run(until, ({ number }, now) => seen.push([number, now]));
  return seen;
}

describe('clients are visited', () => {
  test('in the order of their due times, at those times', () => {
    const agenda = agendaOf([900, 100, 500]);
    expect(visits(agenda, 1_000)).toEqual([
      [1, 100],
      [2, 500],
      [0, 900],
    ]);
  });

  test('only as far as the time has come, and each once', () => {
    const agenda = agendaOf([100, 500, 900]);
    expect(visits(agenda, 500)).toEqual([[0, 100]]);
    expect(visits(agenda, 900)).toEqual([[1, 500]]);
  });

  test('again where the visit plans them anew, also for the same moment', () => {
    const agenda = agendaOf([100]);
    const times: number[] = [];
    agenda.run(1_000, (client, now) => {
      times.push(now);
      if (times.length < 3) agenda.plan({ ...client, dueAt: times.length === 1 ? 101 : 700 });
    });
    expect(times).toEqual([100, 101, 700]);
  });

  test('never at or after the end', () => {
    expect(visits(agendaOf([99_999, 100_000, 2 ** 40]), 2 ** 41)).toEqual([[0, 99_999]]);
  });

  test('however many fall into one moment', () => {
    const numbers = visits(agendaOf(Array.from({ length: 1_000 }, () => 50)), 100).map(([number]) => number);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  });
});

test('a client keeps what it was planned with', () => {
  const agenda = agendaOf([100]);
  const client = { number: 0, dueAt: 100, failures: 3, memory: -1, missed: true, served: true };
  agenda.run(200, () => agenda.plan({ ...client, dueAt: 300 }));
  agenda.run(400, (visited) => expect(visited).toEqual({ ...client, dueAt: 300 }));
  expect.assertions(1);
});

test('when nobody could ask for a while, due times that have passed are now', () => {
  const agenda = agendaOf([100, 600, 4_000]);
  agenda.planAnew(1_000, ({ dueAt }) => dueAt);
  const seen = visits(agenda, 5_000).toSorted(([one], [other]) => one - other);
  expect(seen).toEqual([
    [0, 1_000],
    [1, 1_000],
    [2, 4_000],
  ]);
});

test('chunks are used again: far more visits than there is room for', () => {
  const agenda = agendaOf([0, 0, 0, 0, 0], 10_000);
  let count = 0;
  agenda.run(10_000, (client, now) => {
    count += 1;
    agenda.plan({ ...client, dueAt: now + 1 });
  });
  expect(count).toBe(50_000);
});
