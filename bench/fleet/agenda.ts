/** One client between two requests. It is carried from one to the next; rules keep in it what they have to. */
export interface Client {
  number: number;
  dueAt: number;
  failures: number;
  /** Whatever else a rule remembers; 0 at first. */
  memory: number;
  /** True once a request of it has failed while something was wrong. */
  missed: boolean;
  /** Whether it has had an answer since the recovery. */
  served: boolean;
}

/** A client that has not asked yet. */
export function newcomer(number: number, dueAt: number): Client {
  return { number, dueAt, failures: 0, memory: 0, missed: false, served: false };
}

/** Milliseconds of one bucket: who is due in the same one is visited in any order. */
const BUCKET = 20;

/** Clients of one chunk, and numbers of one client: its two flags are one. */
const CHUNK = 16;
const WIDTH = 5;
const MISSED = 1;
const SERVED = 2;
const NONE = -1;

/**
 * Who asks when, in virtual time. Clients stand in the bucket of their due time, which is a stack of chunks of typed
 * arrays: a million of them make no garbage, and what is read next lies side by side in memory. Looked up client by
 * client they would have to be fetched from afar each time, which takes three times as long.
 */
export class Agenda {
  /** The uppermost chunk of each bucket, and how many stand in it. */
  readonly #top: Int32Array;
  readonly #filled: Uint8Array;
  /** The chunk below each, in its bucket or among the free ones. */
  readonly #below: Int32Array;
  readonly #cells: Float64Array;
  /** The one who is visited. */
  readonly #visited: Client = newcomer(0, 0);
  #free = 0;
  #bucket = 0;
  #now = 0;

  /** Nobody is visited at or after `end`. */
  constructor(clients: number, end: number) {
    const buckets = Math.ceil(end / BUCKET);
    const chunks = Math.ceil(clients / CHUNK) + buckets;
    this.#top = new Int32Array(buckets).fill(NONE);
    this.#filled = new Uint8Array(buckets);
    this.#below = Int32Array.from({ length: chunks }, (_, chunk) => chunk + 1);
    this.#cells = new Float64Array(chunks * CHUNK * WIDTH);
  }

  /** A due time that has passed is now. */
  plan(client: Client): void {
    const bucket = Math.max(this.#bucket, Math.floor(client.dueAt / BUCKET));
    if (bucket >= this.#top.length) return;
    const filled = this.#filled[bucket] ?? 0;
    if (filled === 0 || filled === CHUNK) this.#pile(bucket);
    this.#write(bucket, client);
  }

  /** Visits who is due before `until`, those too who are planned meanwhile. What is visited is valid until the next. */
  run(until: number, visit: (client: Client, now: number) => void): void {
    const last = Math.min(Math.ceil(until / BUCKET), this.#top.length);
    for (; this.#bucket < last; this.#bucket += 1) {
      while (this.#take(this.#bucket)) visit(this.#visited, Math.max(this.#visited.dueAt, this.#now));
    }
    this.#now = Math.max(this.#now, until);
  }

  /** Lets the time until `now` pass with nobody asking, and plans everybody anew. */
  planAnew(now: number, dueAt: (client: Client) => number): void {
    const everybody: Client[] = [];
    for (let bucket = this.#bucket; bucket < this.#top.length; bucket += 1) {
      while (this.#take(bucket)) everybody.push({ ...this.#visited });
    }
    this.#now = now;
    this.#bucket = Math.floor(now / BUCKET);
    for (const client of everybody) {
      client.dueAt = dueAt(client);
      this.plan(client);
    }
  }

  #pile(bucket: number): void {
    const chunk = this.#free;
    this.#free = this.#below[chunk] ?? NONE;
    this.#below[chunk] = this.#top[bucket] ?? NONE;
    this.#top[bucket] = chunk;
    this.#filled[bucket] = 0;
  }

  #write(bucket: number, { number, dueAt, failures, memory, missed, served }: Client): void {
    const at = this.#cellAfter(bucket);
    this.#filled[bucket] = (this.#filled[bucket] ?? 0) + 1;
    this.#cells[at] = number;
    this.#cells[at + 1] = dueAt;
    this.#cells[at + 2] = failures;
    this.#cells[at + 3] = memory;
    this.#cells[at + 4] = (missed ? MISSED : 0) + (served ? SERVED : 0);
  }

  /** Takes the last of a bucket out of it; false where nobody is left. */
  #take(bucket: number): boolean {
    const filled = this.#filled[bucket] ?? 0;
    if (filled === 0) return false;
    this.#filled[bucket] = filled - 1;
    const at = this.#cellAfter(bucket);
    const client = this.#visited;
    client.number = this.#cells[at] ?? 0;
    client.dueAt = this.#cells[at + 1] ?? 0;
    client.failures = this.#cells[at + 2] ?? 0;
    client.memory = this.#cells[at + 3] ?? 0;
    const flags = this.#cells[at + 4] ?? 0;
    client.missed = (flags & MISSED) > 0;
    client.served = (flags & SERVED) > 0;
    if (filled === 1) this.#unpile(bucket);
    return true;
  }

  #unpile(bucket: number): void {
    const chunk = this.#top[bucket] ?? NONE;
    const below = this.#below[chunk] ?? NONE;
    this.#below[chunk] = this.#free;
    this.#free = chunk;
    this.#top[bucket] = below;
    this.#filled[bucket] = below === NONE ? 0 : CHUNK;
  }

  #cellAfter(bucket: number): number {
    return ((this.#top[bucket] ?? 0) * CHUNK + (this.#filled[bucket] ?? 0)) * WIDTH;
  }
}
