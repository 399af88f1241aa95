import type { WaitingWrite } from '../contracts/outbox-store.ts';
import type { Naming } from '../contracts/temporary-id.ts';
import { temporaryIdsInLane } from '../contracts/temporary-ids.ts';
import { inCircles } from './circles.ts';

/** What is known of a temporary id that no waiting write creates; undefined where nothing is known yet. */
export type Known = (temporaryId: string) => Naming | undefined;

/** A write that can never be sent as it is. */
export interface Lost {
  readonly write: WaitingWrite;
  readonly why: string;
}

const NONE: readonly WaitingWrite[] = [];
const NOBODY: ReadonlySet<WaitingWrite> = new Set();

/** The temporary ids of a write and its lane: it stays as it is, and is looked at for each plan. */
const named = new WeakMap<WaitingWrite, readonly string[]>();

function namedBy(write: WaitingWrite): readonly string[] {
  const known = named.get(write);
  if (known) return known;
  const { uses, lane } = write;
  const inLane = temporaryIdsInLane(lane);
  const all = inLane.length === 0 ? uses : [...uses, ...inLane];
  named.set(write, all);
  return all;
}

/** Which of the writes that wait create what others of them name. */
export class Makers {
  readonly #writes: readonly WaitingWrite[];
  readonly #makers: ReadonlyMap<string, WaitingWrite>;

  /** They are in the order of their places. */
  constructor(writes: readonly WaitingWrite[]) {
    this.#writes = writes;
    const makers = new Map<string, WaitingWrite>();
    for (const each of writes) if (each.temporaryId !== null) makers.set(each.temporaryId, each);
    this.#makers = makers;
  }

  /** Those that create what this one names. */
  of({ uses }: WaitingWrite): readonly WaitingWrite[] {
    return uses.length === 0 ? NONE : uses.flatMap((temporaryId) => this.#makers.get(temporaryId) ?? []);
  }

  /**
   * Those that keep the order of their lanes. Beside it are what is in review, and what names something of one that is beside it,
   * or was queued later, as an edit may do: they wait for that, and their lanes go on without them.
   */
  inLine(): WaitingWrite[] {
    const inLine: WaitingWrite[] = [];
    const beside = new Set<WaitingWrite>();
    for (const each of this.#writes) {
      const isBeside =
        each.state === 'review' ||
        this.of(each).some((maker) => beside.has(maker) || maker.place >= each.place);
      if (isBeside) beside.add(each);
      else inLine.push(each);
    }
    return inLine;
  }

  /** The temporary ids of which nothing is known, that writes or lanes are named by, these lanes too. */
  unknown(known: Known, lanes: readonly Pick<WaitingWrite, 'lane'>[]): string[] {
    const unknown = new Set<string>();
    const note = (each: string): void => {
      if (!this.#makers.has(each) && !known(each)) unknown.add(each);
    };
    for (const { lane } of lanes) temporaryIdsInLane(lane).forEach(note);
    for (const write of this.#writes) if (write.state !== 'review') namedBy(write).forEach(note);
    return [...unknown];
  }

  /** Those that name what will never have an id, or wait for each other. */
  lost(known: Known): Lost[] {
    const circles = this.#inCircles();
    return this.#writes.flatMap((write): Lost | readonly [] => {
      if (write.state !== 'queued' || write.uses.length === 0) return [];
      const never = write.uses.map((each) => this.#whyNever(each, known)).find((why) => why !== null);
      const why = never ?? (circles.has(write) ? 'It names what waits for it' : null);
      return why === null ? [] : { write, why };
    });
  }

  #whyNever(temporaryId: string, known: Known): string | null {
    const naming = this.#makers.has(temporaryId) ? undefined : known(temporaryId);
    return naming?.kind === 'never' ? naming.why : null;
  }

  /** Of each circle, one names what was queued later, or itself: as a rule there is none. */
  #inCircles(): ReadonlySet<WaitingWrite> {
    const mayBe = this.#writes.some((each) => this.of(each).some(({ place }) => place >= each.place));
    return mayBe ? inCircles(this.#writes, (each) => this.of(each)) : NOBODY;
  }
}
