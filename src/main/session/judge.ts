import type { Failure } from '../../shared/failure.ts';
import type { Call } from '../../shared/guard.ts';
import type { Delivered, Delivery } from '../../shared/protocol.ts';
import { isRecord } from '../../shared/record.ts';

/**
 * What tells each kind of delivery apart. The page trusts its worker's answers, so this is only what it takes to hand
 * them on; a kind that is missing does not compile.
 */
const KINDS: Readonly<Record<Delivery['kind'], (delivery: Record<string, unknown>) => boolean>> = {
  sent: ({ to, status, headers }) => isAddressee(to) && isNumber(status) && Array.isArray(headers),
  progress: ({ to, progress }) => isAddressee(to) && isRecord(progress),
  chunk: ({ to, index, path, text }) =>
    isAddressee(to) && isNumber(index) && Array.isArray(path) && typeof text === 'string',
  waiting: ({ to, wait }) => isAddressee(to) && isNumber(wait),
  settled: ({ id, outcome }) => isNumber(id) && isOutcome(outcome),
  tick: ({ loop, outcome, nextIn, entry }) =>
    isNumber(loop) && isOutcome(outcome) && (nextIn === null || isNumber(nextIn)) && isEntry(entry),
  joined: ({ loop, position }) => isNumber(loop) && isRecord(position) && isEntry(position),
  reset: ({ loop, failure }) => isNumber(loop) && isRecord(failure),
  ticking: ({ loop }) => isNumber(loop),
  draining: () => true,
  storage: ({ mode, reason }) => typeof mode === 'string' && typeof reason === 'string',
  origin: ({ origin, status }) => typeof origin === 'string' && typeof status === 'string',
};

/** Why what a worker delivers is not let in; null where it is. */
export function validateDelivery({ argumentList: [argument] }: Call): Failure | null {
  return isBatch(argument?.value) ? null : NOT_UNDERSTOOD;
}

/** Whether these are deliveries that can be handed on. */
export function isBatch(value: unknown): value is readonly Delivered[] {
  return Array.isArray(value) && !value.includes(undefined) && value.every(isDelivery);
}

const NOT_UNDERSTOOD: Failure = {
  code: 'protocol',
  message: 'The worker delivered what this page does not understand',
};

function isDelivery(value: unknown): boolean {
  return isRecord(value) && isPlace(value['place']) && isKind(value['kind']) && KINDS[value['kind']](value);
}

function isKind(kind: unknown): kind is Delivery['kind'] {
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind);
}

function isPlace(value: unknown): boolean {
  return isRecord(value) && typeof value['sequence'] === 'string' && isNumber(value['number']);
}

/** Of a feed alone. */
function isEntry(value: unknown): boolean {
  return (
    value === undefined || (isRecord(value) && typeof value['log'] === 'string' && isNumber(value['offset']))
  );
}

function isOutcome(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, failure, answer } = value;
  return kind === 'failed' ? isRecord(failure) : kind === 'answered' && isRecord(answer);
}

function isAddressee(value: unknown): boolean {
  return isRecord(value) && (isNumber(value['id']) || isNumber(value['loop']));
}

function isNumber(value: unknown): boolean {
  return Number.isFinite(value);
}
