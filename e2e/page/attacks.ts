import { PROTOCOL } from '../../src/shared/protocol.ts';
import { Random } from '../faults/random.ts';
import { hostileMessage } from './hostile.ts';

/** After so many messages an honest one has to be answered. */
const BETWEEN = 200;
const DEADLINE = 10_000;
const SESSION = 'a hostile session';

/** How an attack went, as far as its page can see. */
export interface Attack {
  readonly posted: number;
  /** Honest greetings that were answered, and the milliseconds that the slowest of them took. */
  readonly answered: number;
  readonly slowest: number;
  /** Messages that were answered with a reason why they were not let in. */
  readonly refused: number;
  /** What the worker let out that it must not: ports, code's results, deliveries. */
  readonly leaked: number;
}

/** Posts hostile messages straight to the active worker. The same seed posts the same ones. */
export async function attack(rounds: number, seed: number): Promise<Attack> {
  const random = new Random(seed);
  const { active } = await navigator.serviceWorker.ready;
  if (!active) throw new Error('There is no active worker');
  let [answered, slowest, refused, leaked] = [0, 0, 0, 0];
  const count = ({ data, ports }: MessageEvent): void => {
    const verdict = verdictOn(data, ports);
    if (verdict === 'refused') refused += 1;
    if (verdict === 'leaked') leaked += 1;
  };
  navigator.serviceWorker.addEventListener('message', count);
  for (let posted = 0; posted < rounds; posted += 1) {
    if (posted % BETWEEN === 0) slowest = Math.max(slowest, await greet(active, (answered += 1)));
    const { data, transfer } = hostileMessage(random, SESSION);
    active.postMessage(data, [...transfer]);
  }
  slowest = Math.max(slowest, await greet(active, (answered += 1)));
  navigator.serviceWorker.removeEventListener('message', count);
  return { posted: rounds, answered, slowest, refused, leaked };
}

/** Resolves with the milliseconds until the worker answered; rejects where it does not. */
async function greet(worker: ServiceWorker, nth: number): Promise<number> {
  const id = `honest ${nth}`;
  const began = performance.now();
  // No greeting among the attacks has a number above it.
  const number = 2 ** 52 + nth;
  const wish = { number, calls: [], loops: [], later: [], hidden: false, online: false, resync: false };
  const argumentList = [{ type: 'RAW', value: { protocol: PROTOCOL, oldest: PROTOCOL, ...wish } }];
  const answer = new Promise<void>((resolve, reject) => {
    const overdue = setTimeout(() => reject(new Error(`The worker did not answer ${id}`)), DEADLINE);
    const listen = ({ data }: MessageEvent): void => {
      if (Reflect.get(Object(partOf(data, 'message')), 'id') !== id) return;
      clearTimeout(overdue);
      navigator.serviceWorker.removeEventListener('message', listen);
      resolve();
    };
    navigator.serviceWorker.addEventListener('message', listen);
  });
  const message = { id, type: 'APPLY', path: ['greet'], argumentList };
  worker.postMessage({ offstage: SESSION, message }, []);
  await answer;
  return performance.now() - began;
}

function verdictOn(data: unknown, ports: readonly MessagePort[]): 'refused' | 'leaked' | 'honest' {
  const message = partOf(data, 'message');
  const [type, name, id] = ['type', 'name', 'id'].map((each) => partOf(message, each));
  if (ports.length > 0) return 'leaked';
  if (type === 'HANDLER' && name === 'throw') return refusalOf(message) ? 'refused' : 'leaked';
  if (type === 'APPLY') return isAnnouncement(message) ? 'honest' : 'leaked';
  return id === 'hostile' ? verdictOnValue(partOf(message, 'value')) : 'honest';
}

/**
 * Every page that greets is told which database is open, and how many writes of its user wait. Nothing else is delivered to a page that
 * asks for nothing.
 */
function isAnnouncement(message: unknown): boolean {
  const batches = [partOf(message, 'argumentList')].flat().map((each) => partOf(each, 'value'));
  const deliveries: unknown[] = batches.flat();
  const kinds: unknown[] = ['opened', 'outbox'];
  return deliveries.length > 0 && deliveries.every((each) => kinds.includes(partOf(each, 'kind')));
}

/** Of a batch, each call is refused by itself. */
function verdictOnValue(value: unknown): 'refused' | 'leaked' | 'honest' {
  if (Array.isArray(partOf(value, 'refused'))) return 'refused';
  return isNothing(value) ? 'honest' : 'leaked';
}

function refusalOf(message: unknown): boolean {
  return partOf(partOf(partOf(message, 'value'), 'value'), 'failure') !== undefined;
}

/** The answer to what found nothing in a session of the attacker's own, or nothing stored, or came before a greeting. */
function isNothing(value: unknown): boolean {
  const kind = partOf(value, 'kind');
  const stored = partOf(partOf(value, 'page'), 'entries');
  if (kind === 'stored-page' || kind === 'outbox-page') return Array.isArray(stored) && stored.length === 0;
  if (kind === 'decided') return partOf(value, 'as') === 'absent';
  return kind === 'done' || kind === 'stranger' || partOf(value, 'stranger') === true;
}

function partOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
