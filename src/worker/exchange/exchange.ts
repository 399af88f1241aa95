import type { Header } from '../../shared/header.ts';
import type { Invocation } from '../../shared/invocation.ts';
import type { SentRequest } from '../../shared/outcome.ts';
import type { System } from '../platform/system.ts';
import type { ReadBody, Reading } from '../contracts/read-body.ts';
import { readBody } from './body.ts';
import type { Parsed } from './body.ts';
import { Limit, Pool, ReadingRoom } from './bounds.ts';
import { prepare } from './request.ts';
import type { Order } from './request.ts';
import { Sending } from './sending.ts';
import type { Exchanged, Watch } from './sending.ts';
import { essenceOf, headerValue, isJsonType } from '../../shared/header.ts';

export type { Parsed } from './body.ts';
export type { Limit } from './bounds.ts';
export type { Order, Validators, WriteTurn } from './request.ts';
export type { Exchanged, Watch } from './sending.ts';

/** Makes requests: one order in, one answer or failure out, within the limit that comes with it. */
export class Exchange {
  readonly #system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random' | 'pause'>;
  readonly #pool = new Pool();
  readonly #room = new ReadingRoom();

  constructor(system: Pick<System, 'fetch' | 'clock' | 'isOnline' | 'random' | 'pause'>) {
    this.#system = system;
  }

  /** The time that the invocation's policy gives it, from now on. The caller must lift the limit in the end. */
  limit(invocation: Invocation, url: string, caller: AbortSignal): Limit {
    return new Limit(this.#system.clock, invocation, url, caller);
  }

  /** The same for several callers, who give up by themselves: `left` says in how many milliseconds the last of them. */
  limitOfAll(invocation: Invocation, url: string, callers: AbortSignal, left: () => number): Limit {
    return new Limit(this.#system.clock, invocation, url, callers, left);
  }

  /** Never rejects, and settles at the latest when the limit is reached. */
  async send(order: Order, watch: Watch, limit: Limit): Promise<Exchanged> {
    let request: SentRequest | null = null;
    try {
      const prepared = prepare(order);
      if (prepared.kind === 'failed') return prepared;
      if (limit.failure) return { kind: 'failed', failure: limit.failure, answer: null, request };
      ({ request } = prepared);
      const sending = new Sending(this.#system, order, prepared, watch, limit, this.#pool, this.#room);
      // A fetch or a body that does not heed its signal must not hold the call (invariant 9).
      return await Promise.race([sending.run(), sending.cutShort()]);
    } catch (error) {
      const message = `${order.invocation.method} ${order.url} went wrong on the way: ${String(error)}`;
      return { kind: 'failed', failure: { code: 'protocol', message }, answer: null, request };
    }
  }

  /** Reads bytes by their Content-Type: for bodies that do not come straight from the network. */
  read(bytes: ArrayBuffer, headers: readonly Header[], status: number, reading: Reading): Parsed<ReadBody> {
    return readBody(bytes, headers, status, reading);
  }
}

/** A successful answer that may be a captive portal's, with its request and the answer before it. */
export interface Suspect {
  /** The headers of the request, as it was sent. */
  readonly asked: readonly Header[];
  /** The headers of the last good answer; null if there is none. */
  readonly before: readonly Header[] | null;
  readonly headers: readonly Header[];
  /** Bytes of the body. */
  readonly size: number;
}

/**
 * True for a page of HTML where JSON was asked for, or came before: it is a captive portal's or a proxy's, not the
 * server's (invariant 4). Servers say of empty bodies, too, that they are HTML.
 */
export function looksLikePortal({ asked, before, headers, size }: Suspect): boolean {
  if (size === 0 || !isHtml(headerValue(headers, 'content-type'))) return false;
  return prefersJson(headerValue(asked, 'accept')) || isJsonType(headerValue(before ?? [], 'content-type'));
}

function isHtml(contentType: string | null): boolean {
  const essence = essenceOf(contentType);
  return essence === 'text/html' || essence === 'application/xhtml+xml';
}

/** RFC 9110 section 12.5.1. Without an `Accept` header all types are alike. */
export function prefersJson(accept: string | null): boolean {
  const ranges = (accept ?? '').split(',').map(rangeOf);
  const json = Math.max(...ranges.filter(({ type }) => isJsonType(type)).map(({ weight }) => weight), 0);
  return json > weightOf('text/html', ranges);
}

interface Range {
  readonly type: string;
  readonly weight: number;
}

function rangeOf(text: string): Range {
  const weight = /;\s*q\s*=\s*([\d.]+)/i.exec(text)?.[1] ?? '1';
  return { type: essenceOf(text), weight: Number(weight) };
}

/** The most specific range that names the type decides. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const names = [type, `${type.split('/', 1)[0]}/*`, '*/*'];
  const found = names.map((name) => ranges.find((range) => range.type === name)?.weight);
  return found.find((weight) => weight !== undefined) ?? 0;
}
