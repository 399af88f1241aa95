import type { Header } from '../../shared/header.ts';
import type { Invocation, Policy } from '../../shared/invocation.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Exchange } from './exchange.ts';
import type { Exchanged, Order, Validators, Watch } from './exchange.ts';

export const PAGE = 'https://page.example';
export const FOREIGN = 'https://api.example';

export interface Wish extends Partial<Omit<Invocation, 'policy'>> {
  readonly url?: string;
  readonly validators?: Validators;
  readonly policy?: Partial<Policy>;
}

/** An order to get `/photo` of the page's own origin, but for what is wished otherwise. */
export function order({ url = `${PAGE}/photo`, validators, policy, ...invocation }: Wish = {}): Order {
  return {
    url,
    validators: validators ?? null,
    storedTag: validators?.etag ?? null,
    reading: 'parsed',
    owner: null,
    write: null,
    invocation: {
      action: 'get',
      method: 'GET',
      template: url,
      baseUrl: '',
      documentUrl: `${new URL(url).origin}/index.html`,
      params: [],
      headers: [],
      body: { kind: 'none' },
      ...invocation,
      policy: { ...POLICY, ...policy },
    },
  };
}

const POLICY: Policy = {
  timeout: 30_000,
  retry: 0,
  answerSize: 67_108_864,
  credentials: 'same-origin',
  mode: 'cors',
  cache: 'default',
  revalidate: true,
  origins: [],
  secretHeaders: [],
};

/** Sends an order within a limit of its own. */
export async function sendBy(
  exchange: Exchange,
  wished: Order,
  watch: Watch = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Exchanged> {
  const limit = exchange.limit(wished.invocation, wished.url, signal);
  try {
    return await exchange.send(wished, watch, limit);
  } finally {
    limit.lift();
  }
}

export type Handler = (url: string, init: RequestInit) => Promise<Response> | Response;

/** An exchange over a network that is played by a function. */
export class Stage {
  readonly clock: VirtualClock = new VirtualClock();
  readonly requests: { readonly url: string; readonly init: RequestInit; readonly at: number }[] = [];
  online = true;
  random = 0.5;
  readonly exchange: Exchange;

  constructor(handler: Handler) {
    this.exchange = new Exchange({
      clock: this.clock,
      isOnline: () => this.online,
      random: () => this.random,
      pause: async () => {},
      fetch: async (url, init) => {
        this.requests.push({ url, init, at: this.clock.now() });
        return handler(url, init);
      },
    });
  }

  send(wished: Order, watch: Watch = {}, signal?: AbortSignal): Promise<Exchanged> {
    return sendBy(this.exchange, wished, watch, signal);
  }

  sentHeader(name: string): string | null {
    return new Headers(this.requests.at(-1)?.init.headers).get(name);
  }
}

/** A response that claims to come from `url`, as only `fetch` can make one. */
export function from(url: string, response: Response, type: ResponseType = 'basic'): Response {
  Object.defineProperties(response, { url: { value: url }, type: { value: type } });
  return response;
}

export function respond(body: BodyInit | null, headers: readonly Header[] = [], status = 200): Response {
  return new Response(body, { status, headers: headers.map(([name, value]) => [name, value]) });
}
