import type { Outcome } from '../shared/outcome.ts';
import { NO_ADDITION } from './addition.ts';
import type { Addition } from './addition.ts';
import { locate } from './address/address.ts';
import { Cache, looksLikePortal } from './cache/cache.ts';
import { invocation } from './cache/invocation.fixture.ts';
import type { Wish } from './cache/invocation.fixture.ts';
import { configure } from './configure.ts';
import type { ConfigureWorkerRequest } from './configure.ts';
import { Engine } from './engine.ts';
import { Exchange } from './exchange/exchange.ts';
import { Partitions } from './storage/partitions.ts';
import { Responses } from './storage/responses.ts';
import { FakeSystem } from './system.fixture.ts';
import type { Serve } from './system.fixture.ts';

/** The engine with its real rooms in a played world. */
export class EngineStage {
  readonly system: FakeSystem = new FakeSystem();
  hook: ConfigureWorkerRequest = () => {};
  readonly responses: Responses = new Responses(this.system, new Partitions(this.system, () => {}));
  readonly engine: Engine = new Engine({
    locate,
    cache: new Cache(this.system, this.responses),
    configure: (call, url) => configure((request) => this.hook(request), call, url),
    exchange: new Exchange(this.system),
    looksLikePortal,
    now: () => this.system.clock.now(),
  });

  constructor(serve?: Serve) {
    if (serve) this.system.serve = serve;
  }

  /** A GET of `/photo` that revalidates, but for what is wished otherwise. */
  invoke(wish: Wish = {}, signal: AbortSignal = new AbortController().signal): Promise<Outcome> {
    return this.engine.invoke(invocation(wish), {}, signal);
  }

  /** The same with what is added to the request. */
  invokeWith(addition: Partial<Addition>, wish: Wish = {}): Promise<Outcome> {
    const { signal } = new AbortController();
    return this.engine.invoke(invocation(wish), {}, signal, { ...NO_ADDITION, ...addition });
  }

  /** The URL of the request of that number. */
  asked(nth: number): string | undefined {
    return this.system.requests.at(nth)?.url;
  }

  /** The value of a header of the request of that number, from the end if negative; null where it had none. */
  sent(nth: number, name: string): string | null | undefined {
    return this.system.requests.at(nth)?.headers.get(name);
  }

  get entries(): Promise<number> {
    return this.responses.inspect('default').then(({ entries }) => entries);
  }
}

/** What an outcome says at a glance: the answer's value, or the code of the failure. */
export function gist(outcome: Outcome): unknown {
  if (outcome.kind === 'failed') return outcome.failure.code;
  const { body } = outcome.answer;
  return body.kind === 'value' ? body.value : body.bytes.byteLength;
}
