import type { RequestBody } from '../../shared/invocation.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Outcome } from '../../shared/outcome.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import type { Lookup } from '../contracts/response-store.ts';
import type { Clock } from '../platform/system.ts';
import { aborted, Bell } from '../platform/waiting.ts';
import { after, begun, hurried, revived } from './attempts.ts';
import { planOf } from './lanes.ts';
import { Ledger } from './ledger.ts';

/** How many writes are under way at a time. */
const MOST = 4;

/** Milliseconds until a database that does not answer is asked again. */
const ASKED_AGAIN = 1_000;

export interface DrainerPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly store: OutboxStore;
  /** One attempt, under the write's key. It ends as aborted when the signal aborts. Never rejects. */
  readonly send: (write: WaitingWrite, body: RequestBody, signal: AbortSignal) => Promise<Outcome>;
  /** Called for each state that a write comes to, once that is on the disk; for `done` before it is removed. */
  readonly tell: (write: WaitingWrite) => void;
}

/**
 * Sends what waits, as long as this engine acts. An attempt is stored before it is sent and its end before it is told, so that
 * whatever dies, the next life knows all that its server may know.
 */
export class Drainer {
  readonly #ports: DrainerPorts;
  readonly #bell = new Bell();
  readonly #lastTurn = new Map<string, number>();
  #turns = 0;
  #ledger: Ledger | null = null;
  /** Writes that came before what waits was read, which may lack them. */
  #early: WaitingWrite[] = [];

  constructor(ports: DrainerPorts) {
    this.#ports = ports;
  }

  /** All that wait, as far as they are known by now. */
  get writes(): readonly WaitingWrite[] {
    return this.#ledger?.all ?? [];
  }

  /** It was stored just now. */
  added(write: WaitingWrite): void {
    if (this.#ledger) this.#ledger.add(write);
    else this.#early.push(write);
    this.#bell.ring();
  }

  /** The network is back: no lane waits for its time. */
  online(): void {
    for (const each of this.writes) if (each.state === 'queued') void this.#hurry(each);
    this.#bell.ring();
  }

  /** Works until the signal aborts; resolves when all attempts have ended and their ends are stored. */
  async act(signal: AbortSignal): Promise<void> {
    // What came before lies on the disk by now.
    this.#early = [];
    const loaded = await this.#load(signal);
    if (loaded === null) return;
    const known = new Set(loaded.map(({ place }) => place));
    const found = [...loaded, ...this.#early.splice(0).filter(({ place }) => !known.has(place))];
    const ledger = new Ledger(this.#ports, found);
    this.#ledger = ledger;
    const underWay = new Set<Promise<void>>();
    const run = (work: Promise<void>): void => {
      const done = work.catch(() => {}).finally(() => underWay.delete(done));
      underWay.add(done);
    };
    for (const each of found) run(this.#revive(ledger, each));
    while (!signal.aborted) {
      const { clock } = this.#ports;
      const lastTurn = (lane: string): number => this.#lastTurn.get(lane) ?? 0;
      const plan = planOf(ledger.all, { now: clock.now(), most: MOST, lastTurn });
      for (const each of plan.now) run(this.#attempt(ledger, each, signal));
      await this.#wait(plan.wakeAt, signal);
    }
    await Promise.all(underWay);
    this.#ledger = null;
  }

  /** Null where the signal aborts first. */
  async #load(signal: AbortSignal): Promise<readonly WaitingWrite[] | null> {
    while (!signal.aborted) {
      const found: Lookup<readonly WaitingWrite[]> = await this.#ports.store.all();
      if (found.kind === 'found') return found.value;
      if (found.kind === 'absent') return [];
      await this.#ports.clock.sleep(ASKED_AGAIN, signal);
    }
    return null;
  }

  async #wait(wakeAt: number | null, signal: AbortSignal): Promise<void> {
    const awake = new AbortController();
    const { clock } = this.#ports;
    const time = wakeAt === null ? aborted(awake.signal) : clock.sleep(wakeAt - clock.now(), awake.signal);
    await Promise.race([time, this.#bell.heard(signal)]);
    awake.abort();
  }

  async #revive(ledger: Ledger, write: WaitingWrite): Promise<void> {
    if (write.state === 'done') return this.#finish(ledger, write);
    const next = revived(write);
    if (next !== write) await ledger.keep(next);
    this.#bell.ring();
  }

  async #attempt(ledger: Ledger, write: WaitingWrite, signal: AbortSignal): Promise<void> {
    const { clock, random, send, tell, store } = this.#ports;
    this.#lastTurn.set(write.lane, (this.#turns += 1));
    const sent = begun(write);
    await ledger.keep(sent);
    tell(sent);
    const body = await store.body(sent);
    const outcome = body.kind === 'found' ? await send(sent, body.value, signal) : NOT_READ;
    // It may have been discarded meanwhile.
    if (ledger.get(write.place) === null) return;
    const next = after(sent, { outcome, now: clock.now(), random: random() });
    const later = body.kind === 'found' ? next : { ...next, notBefore: clock.now() + ASKED_AGAIN };
    await ledger.keep(later);
    if (later.state === 'done') await this.#finish(ledger, later);
    else tell(later);
    this.#bell.ring();
  }

  async #finish(ledger: Ledger, write: WaitingWrite): Promise<void> {
    this.#ports.tell(write);
    await ledger.remove(write.place);
    this.#bell.ring();
  }

  async #hurry(write: WaitingWrite): Promise<void> {
    await this.#ledger?.keep(hurried(write)).catch(() => {});
  }
}

/** The database did not give the body: nothing was sent. */
const NOT_READ: Outcome = unanswered({ code: 'aborted', message: 'The body could not be read' });
