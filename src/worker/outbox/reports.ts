import { sizeOfRequestBody } from '../../shared/invocation.ts';
import type { RequestBody } from '../../shared/invocation.ts';
import type { OutboxPage, WriteReport, WriteState } from '../../shared/outbox.ts';
import { storableFailure } from '../contracts/storing.ts';
import { hasEnded, needsDecision } from '../contracts/outbox-store.ts';
import type { OutboxStore, WaitingWrite } from '../contracts/outbox-store.ts';
import { givenAmong } from '../contracts/temporary-id.ts';
import type { Names } from '../contracts/temporary-id.ts';
import { renamedInvocation } from '../contracts/temporary-ids.ts';
import { reportOf } from './write.ts';

/** Most entries, and bytes of their bodies, that are told in one message; one that is larger goes alone. */
const PAGE = 100;
const PAGE_SIZE = 4_194_304;

/** States that every page hears of. Of the others it learns that something has changed. */
export const IS_TOLD: Readonly<Record<WriteState, boolean>> = {
  queued: false,
  sending: false,
  paused: true,
  conflict: true,
  review: true,
  done: true,
  discarded: true,
};

const NO_BODY: RequestBody = { kind: 'none' };

type ReportedStore = Pick<OutboxStore, 'bodies' | 'ended' | 'names' | 'assertWhole'>;

/** Writes as pages are told of them: by the ids that servers have given. */
export class Reports {
  readonly #store: ReportedStore;
  /** For each list that is being made: what pages are told meanwhile, by the names of the writes. */
  readonly #meanwhile = new Set<Map<string, WriteReport>>();

  constructor(store: ReportedStore) {
    this.#store = store;
  }

  /**
   * `body` is null where it has not been read, or is not to be told. At once where the write names nothing, so that it goes to pages
   * together with what else they are told. Never rejects.
   */
  of(write: WaitingWrite, body: RequestBody | null): WriteReport | Promise<WriteReport> {
    if (write.uses.length === 0) return reportOf(write, body);
    return this.#namesIn([write]).then((names) => named(write, body, names));
  }

  /** Pages are told that. */
  told(report: WriteReport): void {
    for (const each of this.#meanwhile) each.set(report.entry, report);
  }

  /** The page of a list, which is never older than what pages are told while it is made. `isOfEnded`: it may have what has ended. */
  async upToDate(isOfEnded: boolean, make: () => Promise<OutboxPage>): Promise<OutboxPage> {
    const told = new Map<string, WriteReport>();
    this.#meanwhile.add(told);
    try {
      const { entries, next } = await make();
      const latest = entries.map((each) => laterOf(each, told.get(each.entry)));
      return { entries: isOfEnded ? latest : latest.filter((each) => !hasEnded(each)), next };
    } finally {
      this.#meanwhile.delete(told);
    }
  }

  /** Those after that place, as many as one message may tell. */
  async page(all: readonly WaitingWrite[], after: number | null, isBrief: boolean): Promise<OutboxPage> {
    const later = all.filter(({ place }) => place > (after ?? 0));
    const wanted = later.toSorted((one, other) => one.place - other.place);
    const entries = await this.#told(wanted.slice(0, PAGE), isBrief);
    return { entries, next: wanted.length > entries.length ? (entries.at(-1)?.place ?? null) : null };
  }

  /**
   * Those of these names, from the `first`th on, as many as one message may tell. Only these are looked up: a page may ask for
   * thousands. Rejects where the database fails, and where one that is not known may still come back: its page would let go of it.
   */
  async pageOf(names: readonly string[], first: number, isBrief: boolean): Promise<OutboxPage> {
    const all = [...new Set(names)];
    const asked = all.slice(first, first + PAGE);
    const found = await this.#store.ended(asked);
    if (found.length < asked.length) await this.#store.assertWhole();
    const entries = await this.#told(found, isBrief);
    const untold = found[entries.length];
    const next = untold ? all.indexOf(untold.entry) : first + PAGE;
    return { entries, next: next < all.length ? next : null };
  }

  /** The first of these, as many as one message may tell. Rejects where what they send is late: a page would take it for nothing. */
  async #told(some: readonly WaitingWrite[], isBrief: boolean): Promise<WriteReport[]> {
    const bodies = isBrief ? some.map(() => null) : await this.#store.bodies(some, PAGE_SIZE);
    const names = await this.#namesIn(some);
    const told: WriteReport[] = [];
    let size = 0;
    for (const [index, write] of some.slice(0, bodies.length).entries()) {
      const body = bodies[index] ?? null;
      size += body ? sizeOfRequestBody(body) : 0;
      if (told.length > 0 && size > PAGE_SIZE) break;
      // As a later life would tell it: what the app has thrown may quote a secret.
      const failure = write.failure && storableFailure(write.failure);
      told.push(named({ ...write, failure }, body, names));
    }
    return told;
  }

  async #namesIn(writes: readonly WaitingWrite[]): Promise<Names | null> {
    const temporaryIds = new Set(writes.flatMap(({ uses }) => uses));
    if (temporaryIds.size === 0) return null;
    return this.#store.names([...temporaryIds]).then(givenAmong, () => null);
  }
}

function named(write: WaitingWrite, body: RequestBody | null, names: Names | null): WriteReport {
  if (names === null) return reportOf(write, body);
  const invocation = renamedInvocation({ ...write.invocation, body: body ?? NO_BODY }, names);
  return reportOf({ ...write, invocation }, body && invocation.body);
}

/**
 * News may be older than the list. But once a write has ended, or needs a decision, only a higher version changes that: then the news is
 * the later of the two.
 */
function laterOf(listed: WriteReport, told: WriteReport | undefined): WriteReport {
  if (!told || !isSettled(told) || isSettled(listed) || told.version < listed.version) return listed;
  return { ...told, body: told.body ?? listed.body };
}

function isSettled(write: WriteReport): boolean {
  return hasEnded(write) || needsDecision(write);
}
