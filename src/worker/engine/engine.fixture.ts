import type { WorkerFunctions } from '../../shared/engine.ts';
import type { Answered, Outcome } from '../../shared/outcome.ts';
import type { RowsQuery, RowsAnswer } from '../../shared/part.ts';
import { NO_ADDITION } from '../contracts/engine-request.ts';
import type { Addition, TickReading, TickRequest } from '../contracts/engine-request.ts';
import { invalidatedBy, isBelow } from '../address/expansion.ts';
import { locate } from '../address/expansion.ts';
import { Cache, isOfAnother } from '../cache/cache.ts';
import { invocation } from '../cache/invocation.fixture.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import type { CredentialsWanted } from '../../shared/delivery.ts';
import { HeldCredentials } from '../credentials/credentials.ts';
import { configure } from './request-context.ts';
import type { ConfigureWorkerRequest } from './request-context.ts';
import { Engine } from './engine.ts';
import { looksLikePortal } from '../contracts/portal.ts';
import { Exchange } from '../exchange/exchange.ts';
import { Functions, functionsPort } from '../functions/functions.ts';
import { Partitions } from '../storage/partitions.ts';
import { Responses } from '../storage/responses.ts';
import { parsed, parsedAnswered } from '../contracts/read-body.ts';
import type { ReadAnswered, ReadOutcome } from '../contracts/read-body.ts';
import { LIMITS } from '../../shared/limits.ts';
import { soon } from '../platform/waiting.ts';
import { Diff } from '../diff/diff.ts';
import { FakeSystem } from '../platform/system.fixture.ts';
import type { Serve } from '../platform/system.fixture.ts';

/** An asker that listens for none of the steps on the way. */
const ASKED = {
  interest: { started: false, sent: false, progress: false },
  takeEarly: null,
  say: (): void => {},
};

const PARSED: TickReading = { kind: 'parsed' };

/** The engine with its real modules in a simulated world. */
export class EngineStage {
  readonly system: FakeSystem;
  hook: ConfigureWorkerRequest = () => {};
  readonly responses: Responses;
  /** Providers of pages answer what is `wanted`. */
  readonly credentials: HeldCredentials;
  readonly wanted: CredentialsWanted[] = [];
  readonly cache: Cache;
  readonly engine: Engine;
  functions: WorkerFunctions = {};
  /** What calls were told before their servers' answers. */
  readonly first: Answered[] = [];
  /** Which URLs were said to show something else. */
  readonly invalidated: ((url: string) => boolean)[] = [];
  /** The outcomes from which it is learned how a server is. */
  readonly noted: Outcome<unknown>[] = [];

  constructor(serve?: Serve, system: FakeSystem = new FakeSystem()) {
    this.system = system;
    if (serve) system.serve = serve;
    this.responses = new Responses(system, new Partitions(system, '/', () => {}).open('default'));
    const functions = new Functions(() => this.functions);
    this.cache = new Cache(system, this.responses, (names) => functions.textOf(names));
    this.credentials = new HeldCredentials({
      clock: system.clock,
      isOnline: () => system.isOnline(),
      uuid: () => system.uuid(),
      tell: (_page, delivery) => {
        if (delivery.kind === 'credentials-wanted') this.wanted.push(delivery);
      },
      isStranger: () => false,
    });
    this.engine = new Engine({
      locate,
      cache: this.cache,
      configure: (call, url) => configure((request) => this.hook(request), call, url),
      exchange: new Exchange(system),
      credentials: this.credentials,
      functions: functionsPort(functions),
      revisions: new Diff(system),
      looksLikePortal,
      isOfAnother,
      soon: (work) => soon(system.clock, LIMITS.storedSoon, work),
      invalidatedBy,
      isBelow,
      invalidated: (isMeant) => this.invalidated.push(isMeant),
      note: (outcome) => this.noted.push(outcome),
      now: () => system.clock.now(),
      uuid: () => system.uuid(),
    });
  }

  /** A GET of `/photo` that revalidates, by a loop that parses its answers; `wish` overrides. */
  async invoke(wish: Wish = {}, signal: AbortSignal = new AbortController().signal): Promise<Outcome> {
    return parsed(await this.tick({ reading: PARSED }, wish, signal));
  }

  /** The same for a loop that wants to know what has changed. */
  revise(wish: Wish = {}): Promise<ReadOutcome> {
    return this.tick({}, wish);
  }

  /** A page's call. */
  call(wish: Wish = {}, signal: AbortSignal = new AbortController().signal): Promise<ReadOutcome> {
    const tellFirst = (answer: ReadAnswered): void => void this.first.push(parsedAnswered(answer));
    return this.engine.call({ ...ASKED, invocation: invocation(wish), page: 'one', tellFirst, signal });
  }

  /** One request of a poll that revises its answers; `asked` overrides. */
  tick(
    asked: Partial<Pick<TickRequest, 'addition' | 'held' | 'reading' | 'takeEarly'>>,
    wish: Wish = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ReadOutcome> {
    return this.engine.tick({
      ...ASKED,
      invocation: invocation(wish),
      addition: NO_ADDITION,
      held: false,
      reading: { kind: 'revised', volatileRevision: null },
      writeBehind: false,
      signal,
      ...asked,
    });
  }

  newest(wish: Wish = {}): Promise<ReadAnswered | null> {
    return this.engine.newest(invocation(wish));
  }

  /** Another instance of the worker, in the same world. */
  reborn(): EngineStage {
    return new EngineStage(undefined, this.system);
  }

  /** Rows of the stored answer. */
  part(part: RowsQuery, wish: Wish = {}): Promise<RowsAnswer> {
    return this.engine.part(invocation(wish), part);
  }

  /** The same with an addition to the request. */
  async invokeWith(wished: Partial<Addition>, wish: Wish = {}): Promise<Outcome> {
    const addition = { ...NO_ADDITION, ...wished };
    return parsed(await this.tick({ addition, reading: PARSED }, wish));
  }

  /** The URL of the request of that number. */
  asked(nth: number): string | undefined {
    return this.system.requests.at(nth)?.url;
  }

  /** The value of a header of the request of that number, from the end if negative; null where it had none. */
  sent(nth: number, name: string): string | null | undefined {
    return this.system.requests.at(nth)?.headers.get(name);
  }

  get entries(): Promise<number | null> {
    return this.responses.inspect().then(({ entries }) => entries);
  }
}

/** An outcome in short: the answer's value, or the failure's code. */
export function gist(outcome: Outcome): unknown {
  if (outcome.kind === 'failed') return outcome.failure.code;
  const { body } = outcome.answer;
  return body.kind === 'value' ? body.value : body.bytes.byteLength;
}
