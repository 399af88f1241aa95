/** Bytes from which on a body is large: a copy of it in every tab at once would be felt. */
export const LARGE = 262_144;

/** Milliseconds that a page has to take what is large, before it is the next one's turn: it may be frozen. */
const PATIENCE = 2_000;

/** What a page is to be told when it is its turn. */
export interface Later {
  /** The loop that it tells of: what else is told of that stays behind it. */
  readonly loop: number;
  /** The URL that it tells of, likewise; null where that is not known. */
  readonly url: string | null;
  /** Another of the same name stands for it; null where it is told whatever comes. */
  readonly name: string | null;
  /** The bytes of its body, about, as things are. */
  readonly size: () => number;
  /** Tells it; `taken` is called when the page has it. */
  readonly tell: (taken: () => void) => void;
}

export interface TurnsPorts {
  readonly isHidden: (page: string) => boolean;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** The page whose turn is next: whoever is seen, of these whoever has waited longest; null where nobody waits. */
export function nextOf(waiting: readonly string[], isHidden: (page: string) => boolean): string | null {
  return waiting.find((page) => !isHidden(page)) ?? waiting[0] ?? null;
}

/**
 * Large bodies go to one page at a time. Each is made and copied when it is told, so that there is one copy under way,
 * however many tabs it is for; a page that does not take it in time waits for it alone.
 */
export class Turns {
  readonly #ports: TurnsPorts;
  /** By page, those that have waited longest first. */
  readonly #waiting = new Map<string, Later[]>();
  #turn: Turn | null = null;

  constructor(ports: TurnsPorts) {
    this.#ports = ports;
  }

  /** Whether something of a page's loop, or of its URL, waits for its turn. */
  holds(page: string, loop: number, url: string | null): boolean {
    return this.#waiting.get(page)?.some((later) => later.loop === loop || isOf(url, later)) ?? false;
  }

  /** What waits of a URL, and whatever else waits of the loops that tell of it, in order: it waits no more. */
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
    // Whoever else is to be told the same is known by then.
    queueMicrotask(() => this.#next());
  }

  /** The page is gone, or is told all that waits with no regard to others. */
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
    // What was large when it came may be small by now: nobody need wait for that.
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
    void this.#ports.sleep(PATIENCE, turn.end.signal).then(() => this.#end(turn));
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
