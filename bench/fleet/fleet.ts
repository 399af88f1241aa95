import { Random } from '../../e2e/faults/random.ts';
import { unreachable } from '../../src/shared/unreachable.ts';
import { Agenda, newcomer } from './agenda.ts';
import type { Client } from './agenda.ts';
import { Freshness } from './freshness.ts';
import { Load } from './load.ts';
import { Network } from './network.ts';
import type { Ending } from './network.ts';
import { periodOf } from './rule.ts';
import type { Candidate, Rule } from './rule.ts';
import type { Blow, Scenario } from './scenario.ts';
import { Server } from './server.ts';

/** What the server can do, in parts of the steady load. */
const CAPACITY = 1.5;

/** Milliseconds that a request may have to wait in line before the server refuses it. */
const PATIENCE = 10_000;

/** Periods before the blow, for the fleet to run steadily, and after the recovery. */
const BEFORE = 2;
const AFTER = 10;

/** What became of a fleet. Times are milliseconds of virtual time. */
export interface Course {
  /** Requests a second when all is well. */
  readonly steady: number;
  readonly struckAt: number;
  readonly recoveredAt: number;
  readonly end: number;
  readonly load: Load;
  /** How fresh the data is of all clients that the outage could hit. */
  readonly freshness: Freshness;
  /** Of those who noticed it, for a request of theirs failed: when they sent what was answered first. */
  readonly askedAgain: Freshness;
  /** And when that was answered. */
  readonly answeredAgain: Freshness;
  readonly server: Server;
}

/** Lets a fleet of clients live by a rule through what a scenario has for it. The same seed gives the same course. */
export function simulate(
  { pace, blow }: Scenario,
  candidate: Candidate,
  clients: number,
  seed: number,
): Course {
  const period = periodOf(pace);
  const struckAt = BEFORE * period;
  const recoveredAt = struckAt + blow.lasts;
  const end = recoveredAt + AFTER * period;
  const struck = blow.kind === 'offline' ? Math.round(clients * blow.share) : clients;
  const steady = (1_000 * clients) / period;
  const chance = new Random(seed);
  const random = (): number => chance.next();
  const server = new Server(CAPACITY * steady, PATIENCE);
  const course: Course = {
    steady,
    struckAt,
    recoveredAt,
    end,
    server,
    load: new Load(end),
    freshness: new Freshness(struck),
    askedAgain: new Freshness(struck),
    answeredAgain: new Freshness(struck),
  };
  course.freshness.expect(struck);
  const agenda = new Agenda(clients, end);
  for (let number = 0; number < clients; number += 1) {
    agenda.plan(newcomer(number, random() * period));
  }
  const network = new Network(server, pace, blow, struckAt, struck);
  live(course, agenda, network, candidate.make(pace, random), blow, struck);
  return course;
}

function live(
  course: Course,
  agenda: Agenda,
  network: Network,
  rule: Rule,
  blow: Blow,
  struck: number,
): void {
  const { struckAt, recoveredAt, end } = course;
  const visit = (client: Client, askedAt: number): void => {
    const ending = network.send(client.number, askedAt);
    observe(course, client, askedAt, ending, struck);
    const { endedAt, outcome } = ending;
    client.dueAt = rule.afterTick(client, { dueAt: client.dueAt, askedAt, endedAt, outcome });
    agenda.plan(client);
  };
  agenda.run(struckAt, visit);
  if (blow.kind !== 'reload') agenda.run(recoveredAt, visit);
  const inInstant = afterBlow(blow, rule, recoveredAt);
  agenda.planAnew(recoveredAt, (client) => (client.number < struck ? inInstant(client) : client.dueAt));
  agenda.run(end, visit);
}

/** Writes down what there is to see of a request: of those who are struck, who notices, and who is answered when. */
function observe(course: Course, client: Client, askedAt: number, ending: Ending, struck: number): void {
  const { load, freshness, askedAgain, answeredAgain, struckAt, recoveredAt } = course;
  const { endedAt, outcome, servedAt, arrived } = ending;
  if (arrived) load.count(askedAt);
  if (client.number >= struck) return;
  if (!client.missed && outcome.kind === 'failed' && askedAt < recoveredAt && endedAt >= struckAt) {
    client.missed = true;
    askedAgain.expect();
    answeredAgain.expect();
  }
  if (client.served || servedAt === null || askedAt < recoveredAt) return;
  client.served = true;
  freshness.note(servedAt);
  if (!client.missed) return;
  askedAgain.note(askedAt);
  answeredAgain.note(servedAt);
}

/** When a client asks that hears that all is well again. Of an outage and a cut it hears only by asking. */
function afterBlow({ kind }: Blow, rule: Rule, now: number): (client: Client) => number {
  switch (kind) {
    case 'reload':
      return (client) => rule.afterRestart(client, now);
    case 'offline':
      return (client) => rule.afterReturn(client, now);
    case 'outage':
    case 'cut':
      return ({ dueAt }) => dueAt;
    default:
      return unreachable(kind);
  }
}
