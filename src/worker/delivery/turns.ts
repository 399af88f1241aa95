import { messageOf } from '../../shared/failure.ts';
import type { Delivered, Delivery, SentBody } from '../../shared/delivery.ts';
import { sizeOfPatch } from '../../shared/patch.ts';

/** Characters of JSON that cost a page next to nothing. */
const LIGHT = 8_192;

/** Bytes from which on a body is large: a user would feel a copy of it in every tab at once. */
export const LARGE = 262_144;

/** Milliseconds that a page has to take a large body before it is the next page's turn: it may be frozen. */
const TURN = 2_000;

/** A delivery that waits for its page's turn. */
export interface Later {
  /** The loop that it tells of. Later deliveries of that loop stay behind it. */
  readonly loop: number;
  /** The URL that it tells of. Later deliveries of that stay behind it as well; null where it is not known. */
  readonly url: string | null;
  /** Another of the same name replaces it; null where none does. */
  readonly name: string | null;
  /** The bytes of its body as it would be sent now, about. */
  readonly size: () => number;
  /** Sends it; `taken` is called when the page has taken it. */
  readonly tell: (taken: () => void) => void;
}

export interface TurnsPorts {
  readonly isHidden: (page: string) => boolean;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The page whose turn is next: visible ones first, among them the one that has waited longest; null for none. */
export function nextOf(waiting: readonly string[], isHidden: (page: string) => boolean): string | null {
  return waiting.find((page) => !isHidden(page)) ?? waiting[0] ?? null;
}

/**
 * Sends large bodies to one page at a time. Each is made and copied when it is sent, so one copy is under way however
 * many tabs it is for. A page that does not take it in time holds up no other.
 */
export class Turns {
  readonly #ports: TurnsPorts;
  /** By page. The page that has waited longest comes first. */
  readonly #waiting = new Map<string, Later[]>();
  #turn: Turn | null = null;

  constructor(ports: TurnsPorts) {
    this.#ports = ports;
  }

  /** True where a delivery of that loop, or of that URL, waits for the page's turn. */
  holds(page: string, loop: number, url: string | null): boolean {
    return this.#waiting.get(page)?.some((later) => later.loop === loop || isOf(url, later)) ?? false;
  }

  /** Takes out what waits of a URL, and all that waits of the loops that tell of it, in order. */
  hurry(page: string, url: string): readonly Later[] {
    const waiting = this.#waiting.get(page) ?? [];
    const loops = waiting.filter((later) => isOf(url, later)).map(({ loop }) => loop);
    const hurried = waiting.filter(({ loop }) => loops.includes(loop));
    const left = waiting.filter((later) => !hurried.includes(later));
    if (left.length > 0) this.#waiting.set(page, left);
    else this.#waiting.delete(page);
    return hurried;
  }

  wait(page: string, later: Later): void {
    const before = this.#waiting.get(page) ?? [];
    const kept = before.filter(({ name }) => name === null || name !== later.name);
    this.#waiting.set(page, [...kept, later]);
    // By then, the other pages for the same delivery wait as well.
    queueMicrotask(() => this.#next());
  }

  /** Takes out all that waits for a page, and ends its turn. */
  release(page: string): readonly Later[] {
    const released = this.#waiting.get(page) ?? [];
    this.#waiting.delete(page);
    if (this.#turn?.page === page) this.#end(this.#turn);
    return released;
  }

  #next(): void {
    while (!this.#turn) {
      const page = nextOf([...this.#waiting.keys()], this.#ports.isHidden);
      if (page === null) return;
      this.#take(page);
    }
  }

  #take(page: string): void {
    const turn = { page, end: new AbortController() };
    const all = this.#waiting.get(page) ?? [];
    this.#waiting.delete(page);
    // A body that was large when it came may be small by now: no page has to wait for it.
    const large = all.filter(({ size }) => size() >= LARGE);
    if (large.length > 0) this.#begin(turn);
    let untaken = large.length;
    for (const later of all) {
      later.tell(() => {
        if (large.includes(later)) untaken -= 1;
        if (untaken === 0) this.#end(turn);
      });
    }
  }

  #begin(turn: Turn): void {
    this.#turn = turn;
    void this.#ports.sleep(TURN, turn.end.signal).then(() => this.#end(turn));
  }

  #end(turn: Turn): void {
    if (this.#turn !== turn) return;
    this.#turn = null;
    turn.end.abort();
    this.#next();
  }
}

function isOf(url: string | null, later: Later): boolean {
  return url !== null && later.url === url;
}

interface Turn {
  readonly page: string;
  readonly end: AbortController;
}

/** The delivery itself, or a failed outcome in its place where no message can carry it. */
export function sendable(delivered: Delivered): Delivered {
  if (!('outcome' in delivered)) return delivered;
  try {
    structuredClone(delivered);
    return delivered;
  } catch (error) {
    const message = `No message can carry the outcome: ${messageOf(error)}`;
    const failure = { code: 'protocol', message } as const;
    return { ...delivered, outcome: { kind: 'failed', failure, answer: null, request: null } };
  }
}

/**
 * The buffers that are transferred to the page rather than copied: nobody else needs the bytes of a call's answer,
 * which are stored by then. Those of a loop are for other pages too.
 */
export function transferredWith(batch: readonly Delivered[]): ArrayBuffer[] {
  return batch.flatMap((delivery) => bytesOf(delivery) ?? []);
}

/** True for a delivery whose bytes were transferred: it cannot be sent again. */
export function isSpent(delivery: Delivery): boolean {
  // An empty body is null, and has no bytes.
  return bytesOf(delivery)?.byteLength === 0;
}

function bytesOf(delivery: Delivery): ArrayBuffer | null {
  if (delivery.kind !== 'settled' || delivery.outcome.kind === 'failed') return null;
  const { body } = delivery.outcome.answer;
  return body.kind === 'bytes' ? body.bytes : null;
}

/** True for a delivery that is small, and that needs no acknowledgement: the next one shows whether it was missed. */
export function isLight(delivery: Delivery): boolean {
  switch (delivery.kind) {
    case 'tick':
      return !delivery.entry && (delivery.outcome.kind === 'failed' || isSmall(delivery.outcome.answer.body));
    case 'preliminary':
    case 'settled':
      return delivery.outcome.kind === 'failed' || isSmall(delivery.outcome.answer.body);
    case 'ticking':
    case 'sent':
    case 'progress':
    case 'opened':
    case 'origin':
      return true;
    default:
      return false;
  }
}

function isSmall(body: SentBody): boolean {
  switch (body.kind) {
    case 'unsent':
      return true;
    case 'value':
      return isShort(body.value);
    case 'json':
      return body.text.length <= LIGHT;
    case 'patches':
      return body.patches.reduce((sum, patch) => sum + sizeOfPatch(patch), 0) <= LIGHT;
    default:
      return false;
  }
}

/** True for a value whose JSON text is short, about. It looks no further into a long one than it must. */
function isShort(root: unknown): boolean {
  const left = [root];
  let room = LIGHT;
  for (let value = left.pop(); value !== undefined && room >= 0; value = left.pop()) {
    room -= typeof value === 'string' ? value.length + 1 : 1;
    if (typeof value !== 'object' || value === null) continue;
    // Not all at once: there may be a million of them.
    for (const name in value) {
      room -= name.length + 1;
      if (room < 0) return false;
      left.push(Reflect.get(value, name));
    }
  }
  return room >= 0;
}
