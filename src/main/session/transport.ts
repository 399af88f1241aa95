import { expose, releaseProxy, wrap } from 'comlink';
import { Channel } from '../../shared/channel.ts';
import { isEnvelope, isReply } from '../../shared/guard.ts';
import { PAGE_CALLS } from '../../shared/protocol.ts';
import type { Delivered, Delivery } from '../../shared/delivery.ts';
import type {
  Command,
  Greeting,
  PageApi,
  Receipt,
  Reply,
  Submission,
  Welcome,
  WorkerApi,
} from '../../shared/protocol.ts';
import { isRecord } from '../../shared/shape.ts';
import type { Endpoint } from '../hosts/host.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Call } from '../../shared/guard.ts';

/**
 * Validates each kind of delivery. The page trusts its worker's answers, so it checks only the fields that it needs to
 * hand them on. A missing kind does not compile.
 */
const KINDS: Readonly<Record<Delivery['kind'], (delivery: Record<string, unknown>) => boolean>> = {
  sent: ({ to, status, headers }) => isAddressee(to) && isNumber(status) && Array.isArray(headers),
  progress: ({ to, progress }) => isAddressee(to) && isRecord(progress),
  chunk: ({ to, index, path, text }) =>
    isAddressee(to) && isNumber(index) && Array.isArray(path) && typeof text === 'string',
  waiting: ({ to, wait }) => isAddressee(to) && isNumber(wait),
  preliminary: ({ id, outcome }) => isNumber(id) && isOutcome(outcome),
  settled: ({ id, outcome }) => isNumber(id) && isOutcome(outcome),
  tick: ({ loop, outcome, nextIn, entry }) =>
    isNumber(loop) && isOutcome(outcome) && (nextIn === null || isNumber(nextIn)) && isEntry(entry),
  joined: ({ loop, position }) => isNumber(loop) && isRecord(position) && isEntry(position),
  reset: ({ loop, failure }) => isNumber(loop) && isRecord(failure),
  ticking: ({ loop }) => isNumber(loop),
  'credentials-wanted': ({ question, origin, reason }) =>
    typeof question === 'string' && typeof origin === 'string' && typeof reason === 'string',
  draining: () => true,
  storage: ({ mode, reason }) => typeof mode === 'string' && typeof reason === 'string',
  opened: ({ name, madeAt }) => typeof name === 'string' && isNumber(madeAt),
  identity: ({ identity }) => isRecord(identity) && isNumber(identity['epoch']),
  origin: ({ origin, status }) => typeof origin === 'string' && typeof status === 'string',
  unqueued: ({ id }) => isNumber(id),
  queued: ({ id, write }) => isNumber(id) && isRecord(write),
  write: ({ write }) => isRecord(write),
  outbox: ({ counts }) => isRecord(counts),
};

const NOT_UNDERSTOOD: Failure = {
  code: 'protocol',
  message: 'The worker delivered what this page does not understand',
};

/** The worker's API, as the page calls it. */
export interface RemoteWorker {
  greet(greeting: Greeting): Promise<Welcome>;
  submit(batch: readonly Submission[]): Promise<Receipt>;
  control(command: Command): Promise<Reply>;
}

/**
 * The RPC transport to one worker instance, with Comlink on both ends. Each instance gets a new one, since Comlink
 * keeps every call that a dead worker never answers. The proxies of the methods are made once, since Comlink otherwise
 * makes one at each call: it watches them with a FinalizationRegistry, and Chromium evicts a page from the back/forward
 * cache when one is collected there.
 */
export class Transport {
  readonly endpoint: Endpoint;
  readonly remote: RemoteWorker;
  readonly #channel: Channel;
  readonly #stopListening: () => void;
  readonly #release: () => void;
  #isRetired = false;

  constructor(endpoint: Endpoint, session: string, deliver: (batch: readonly Delivered[]) => void) {
    this.endpoint = endpoint;
    this.#channel = new Channel(
      PAGE_CALLS,
      (message, transfer) => {
        endpoint.post({ offstage: session, message }, transfer);
      },
      validateDelivery,
    );
    this.#stopListening = endpoint.listen((data) => {
      if (!isEnvelope(data) || data.offstage !== session) return false;
      if (this.#isRetired && !receiptIn(data.message)) return false;
      // At once, not when Comlink resolves its promise: nobody waits for the answers to an earlier transport.
      deliver(broughtBy(data.message));
      this.#channel.receive(data.message);
      return true;
    });
    const api: PageApi = { deliver };
    expose(api, this.#channel.incoming);
    const worker = wrap<WorkerApi>(this.#channel.outgoing);
    const { greet, submit, control } = worker;
    this.remote = { greet, submit, control };
    this.#release = (): void => {
      for (const proxy of [worker, greet, submit, control]) proxy[releaseProxy]();
    };
  }

  /** Sends a command to a worker that may be gone; nobody waits for the reply. */
  tell(command: Command): void {
    this.remote.control(command).catch(() => {});
  }

  /** The worker is ending and any message would wake it again: sends only the reply to the message under way. */
  mute(): void {
    this.#channel.mute();
  }

  /** Another worker is greeted. This transport still takes receipts: they say which calls are to be sent again. */
  retire(): void {
    this.#isRetired = true;
  }

  close(): void {
    this.#stopListening();
    this.#channel.close();
    this.#release();
  }
}

/** The deliveries in a receipt of any transport; their positions ensure that each is taken once. */
function broughtBy(message: unknown): readonly Delivered[] {
  const deliveries = receiptIn(message)?.['deliveries'];
  return isBatch(deliveries) ? deliveries : [];
}

function receiptIn(message: unknown): Readonly<Record<string, unknown>> | null {
  const value = isReply(message) && isRecord(message) ? message['value'] : null;
  return isRecord(value) && 'declined' in value ? value : null;
}

/** Why a delivery is refused; null where it is accepted. */
export function validateDelivery({ argumentList: [argument] }: Call): Failure | null {
  return isBatch(argument?.value) ? null : NOT_UNDERSTOOD;
}

function isBatch(value: unknown): value is readonly Delivered[] {
  return Array.isArray(value) && !value.includes(undefined) && value.every(isDelivery);
}

function isDelivery(value: unknown): boolean {
  return isRecord(value) && isPlace(value['place']) && isKind(value['kind']) && KINDS[value['kind']](value);
}

function isKind(kind: unknown): kind is Delivery['kind'] {
  return typeof kind === 'string' && Object.hasOwn(KINDS, kind);
}

function isPlace(value: unknown): boolean {
  return isRecord(value) && typeof value['sequence'] === 'string' && isNumber(value['number']);
}

/** Only deliveries of a feed have an entry. */
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
