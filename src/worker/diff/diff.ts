import type { ParseFailure } from '../../shared/failure.ts';
import { LIMITS } from '../../shared/limits.ts';
import type { Revision } from '../../shared/outcome.ts';
import type { RowsQuery, RowsAnswer } from '../../shared/part.ts';
import { namesIn } from '../../shared/part.ts';
import { RecentlyUsed } from '../../shared/recently-used.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type {
  Arrangement,
  Chunks,
  JsonBody,
  ReadBody,
  PatchFrom,
  TakeEarly,
} from '../contracts/read-body.ts';
import type { DeltaFrom } from '../contracts/response-store.ts';
import type { System } from '../platform/system.ts';
import { arrange, Orders } from './arrange.ts';
import { chunksOf, isLong, arrangedText, rowsText } from './arrange.ts';
import { isSamePath, sizeOf, listAt } from './container.ts';
import { EarlyRows, readDocument } from './validate.ts';
import type { Document } from './container.ts';
import { makePatch } from './patch.ts';
import { isEqual, makeByteDelta } from './byte-delta.ts';
import { scan } from './scan.ts';
import { TimeSlices } from '../platform/giving-way.ts';

/** The previous answer, as it is stored. */
export interface Base {
  readonly revision: Revision;
  /** Null if they are gone. */
  readonly bytes: () => Promise<ArrayBuffer | null>;
}

/** An answer, compared with the previous one. */
export type Compared =
  | {
      readonly kind: 'compared';
      readonly body: ReadBody;
      /** The byte delta to store instead of the whole; null if only the whole is of use. */
      readonly derivation: DeltaFrom | null;
      /** The next answer is compared with this; null if that is not worth it. */
      readonly document: Document | null;
    }
  | Unreadable;

/** `text` is what came instead of JSON. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly failure: ParseFailure;
  readonly text: string;
}

/** Two answers in a row, and the revision of the first. */
interface Pair {
  readonly revision: Revision;
  readonly base: Document;
  readonly next: Document;
}

const NOT_STORED: RowsAnswer = { kind: 'not-stored' };

/** Parses the whole at once, if it cannot be read member by member. */
type Parse = () => { readonly kind: 'parsed'; readonly body: ReadBody } | Unreadable;

/** Finds what changes from answer to answer, in slices. Keeps the bytes and member positions of watched answers. */
export class Diff {
  readonly #slices: TimeSlices;
  /** The answers that the next ones are compared with, by revision. */
  readonly #bases = new RecentlyUsed<string, Document>(LIMITS.bases, sizeOf);
  /** Lists that rows are cut from, if they are not among the bases. */
  readonly #lists = new RecentlyUsed<string, Document>(LIMITS.bases, sizeOf);
  readonly #orders = new Orders();
  readonly #chunk: number;

  /** `chunk` is how many bytes of a list are told in one text. */
  constructor(system: Pick<System, 'clock' | 'pause'>, chunk: number = LIMITS.chunkSize) {
    this.#slices = new TimeSlices({ now: () => system.clock.now(), pause: () => system.pause() });
    this.#chunk = chunk;
  }

  /** Finds out if an answer that is compared with nothing is JSON, and where it may be cut. `take`: its rows meanwhile. */
  async check(bytes: ArrayBuffer, parse: Parse, take: TakeEarly | null = null): Promise<Compared> {
    const read = await this.#readFirst(bytes, parse, take);
    return read.kind === 'compared' ? { ...read, document: null } : read;
  }

  /** Finds out if an answer is JSON, and how it follows from the previous one. `take`: its rows, if there is none. */
  async compare(
    bytes: ArrayBuffer,
    before: Base | null,
    parse: Parse,
    take: TakeEarly | null = null,
  ): Promise<Compared> {
    const base = before && (await this.#baseOf(before));
    if (!before || !base) return this.#readFirst(bytes, parse, take);
    const { revision } = before;
    const isSame = await this.#slices.run(isEqual(base.bytes, new Uint8Array(bytes)));
    if (isSame) return this.#compared(bytes, { from: revision, patch: null }, base);
    const next = await this.#slices.run(scan(new Uint8Array(bytes), base.path));
    return next ? this.#step(bytes, { revision, base, next }, parse) : otherwise(bytes, parse);
  }

  /** From now on, the next answer is compared with this one. */
  keep(revision: Revision, { document }: Extract<Compared, { readonly kind: 'compared' }>): void {
    this.#bases.delete(keyOf({ ...revision, number: revision.number - 1 }));
    if (document) this.#bases.set(keyOf(revision), document);
  }

  /** Nothing is compared with it any more. */
  forget(revision: Revision): void {
    this.#bases.delete(keyOf(revision));
  }

  /** Nothing that was stored so far is compared with, or cut, any more. */
  clear(): void {
    for (const kept of [this.#bases, this.#lists, this.#orders]) kept.clear();
  }

  /** The rows of a stored answer, to be told in chunks; null if it is too short for that. */
  chunks(revision: Revision, bytes: ArrayBuffer): Promise<Chunks | null> | null {
    return isLong(bytes, this.#chunk) ? this.#chunksOf(revision, bytes) : null;
  }

  async #chunksOf(revision: Revision, bytes: ArrayBuffer): Promise<Chunks | null> {
    const key = keyOf(revision);
    const base = this.#bases.get(key);
    const document = base ?? (await this.#slices.run(scan(new Uint8Array(bytes), null)));
    // Stored bytes are JSON, and a list needs no other proof, so the next answer may be compared with it.
    if (!base && document?.kind === 'list') this.#bases.set(key, document);
    return document && chunksOf(document, this.#chunk);
  }

  /** The bytes of a revision that others are compared with; null if they are not at hand. */
  bytesOf(revision: Revision): ArrayBuffer | null {
    const base = this.#bases.get(keyOf(revision));
    return base ? bufferOf(base) : null;
  }

  /** Rows of a list in a stored answer, arranged or as they are. `bytes` is called if they are not at hand. */
  async part(
    revision: Revision,
    { pointer, start, count }: RowsQuery,
    arrangement: Arrangement | null,
    bytes: () => Promise<ArrayBuffer | null>,
  ): Promise<RowsAnswer> {
    const list = await this.#listIn(revision, pointer, bytes);
    if (list === undefined) return NOT_STORED;
    if (list === null) return { kind: 'no-list' };
    if (arrangement === null) {
      return { kind: 'rows', revision, total: list.table.count, text: rowsText(list, start, count) };
    }
    const order = await this.#orderOf(list, revision, pointer, arrangement);
    if (!(order instanceof Uint32Array)) return order;
    return { kind: 'rows', revision, total: order.length, text: arrangedText(list, order, start, count) };
  }

  async #orderOf(
    list: Document,
    revision: Revision,
    pointer: string,
    arrangement: Arrangement,
  ): Promise<Uint32Array | Extract<RowsAnswer, { readonly kind: 'failed' }>> {
    const keyOfOrder = (number: number): string =>
      `${listKey({ ...revision, number }, pointer)} ${arrangement.key}`;
    try {
      this.#orders.delete(keyOfOrder(revision.number - 1));
      return await this.#orders.get(keyOfOrder(revision.number), () =>
        this.#slices.run(arrange(list, arrangement)),
      );
    } catch (error) {
      const message = `The rows cannot be filtered or sorted: ${String(error)}`;
      return { kind: 'failed', failure: { code: 'function', message } };
    }
  }

  /** Null if the pointer leads to no list; undefined if the bytes are gone. */
  async #listIn(
    revision: Revision,
    pointer: string,
    bytes: () => Promise<ArrayBuffer | null>,
  ): Promise<Document | null | undefined> {
    const [path, key] = [namesIn(pointer), listKey(revision, pointer)];
    const base = this.#bases.get(keyOf(revision));
    if (base?.kind === 'list' && isSamePath(base.path, path)) return base;
    const known = this.#lists.get(key);
    if (known) return known;
    const stored = base ? bufferOf(base) : await bytes();
    if (!stored) return undefined;
    const list = await this.#slices.run(listAt(new Uint8Array(stored), path));
    this.#lists.delete(listKey({ ...revision, number: revision.number - 1 }, pointer));
    if (list) this.#lists.set(key, list);
    return list;
  }

  async #baseOf({ revision, bytes }: Base): Promise<Document | null> {
    const known = this.#bases.get(keyOf(revision));
    if (known) return known;
    const stored = await bytes();
    return stored && this.#slices.run(readDocument(new Uint8Array(stored)));
  }

  async #readFirst(bytes: ArrayBuffer, parse: Parse, take: TakeEarly | null): Promise<Compared> {
    const read = new Uint8Array(bytes);
    const early = take && isLong(bytes, this.#chunk) ? new EarlyRows(read, this.#chunk, take) : null;
    const document = await this.#slices.run(readDocument(read, null, early));
    return document ? this.#compared(bytes, null, document) : otherwise(bytes, parse);
  }

  async #step(bytes: ArrayBuffer, { revision: from, base, next }: Pair, parse: Parse): Promise<Compared> {
    const step = await this.#slices.run(makePatch(base, next));
    switch (step.kind) {
      case 'same':
      case 'patched': {
        const patch = step.kind === 'same' ? null : step.patch;
        const change = await this.#slices.run(makeByteDelta(base, next, step.runs));
        return { ...this.#compared(bytes, { from, patch }, next), derivation: { from, change } };
      }
      case 'whole':
        return this.#compared(bytes, null, next);
      case 'unproven':
        return otherwise(bytes, parse);
      default:
        return unreachable(step);
    }
  }

  #compared(
    bytes: ArrayBuffer,
    patchFrom: PatchFrom | null,
    document: Document,
  ): Extract<Compared, { readonly kind: 'compared' }> {
    const body: JsonBody = { kind: 'json', bytes, patchFrom, chunks: chunksOf(document, this.#chunk) };
    return { kind: 'compared', body, derivation: null, document };
  }
}

function keyOf({ lineage, number }: Revision): string {
  return `${lineage} ${number}`;
}

function listKey(revision: Revision, pointer: string): string {
  return `${keyOf(revision)} ${pointer}`;
}

/** Bodies are whole buffers. */
function bufferOf({ bytes }: Document): ArrayBuffer | null {
  return bytes.buffer instanceof ArrayBuffer ? bytes.buffer : null;
}

/** JSON that has no members worth comparing is sent as it is; for anything else, the failure says why. */
function otherwise(bytes: ArrayBuffer, parse: Parse): Compared {
  const read = parse();
  if (read.kind === 'unreadable') return read;
  const body: JsonBody = { kind: 'json', bytes, patchFrom: null, chunks: null };
  return { kind: 'compared', body, derivation: null, document: null };
}
