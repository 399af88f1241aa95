import { PauseMeter } from '../platform/giving-way.ts';
import type { System, Clock } from '../platform/system.ts';
import type { Reader } from './bounds.ts';
import type { Progress } from '../../shared/delivery.ts';

/** At most ten reports a second (behaviour.md, "Answers"). */
const INTERVAL = 100;

/** A body this large, or of unknown length, is read in pieces, and after each so many bytes other work has its turn. */
const LARGE = 1_048_576;

/** `oversized`: more bytes than this answer may have; `crowded`: more than all may have. The rest is not read. */
export type AnswerBytes =
  | { readonly kind: 'whole'; readonly bytes: ArrayBuffer }
  | { readonly kind: 'broken' | 'oversized' | 'crowded' };

/** How many bytes an answer may have, and its share of the memory of all answers. */
export interface Allowance {
  readonly most: number;
  readonly reader: Reader;
}

const BROKEN: AnswerBytes = { kind: 'broken' };

/** Reads a body to its end, and checks the announced length, since not every browser does. `meter` counts its bytes. */
export async function answerBytes(
  response: Response,
  announced: number | null,
  allowance: Allowance,
  meter: ProgressMeter | null,
  signal: AbortSignal,
  { pause }: Pick<System, 'pause'>,
): Promise<AnswerBytes> {
  const isShort = announced !== null && announced < LARGE;
  try {
    if (announced !== null && announced > allowance.most) return await leave(response.body, 'oversized');
    const read: AnswerBytes =
      response.body && (meter || !isShort)
        ? await inPieces(response.body.getReader(), allowance, meter, signal, pause)
        : await inOne(response, allowance);
    if (read.kind !== 'whole') return read;
    if (announced !== null && read.bytes.byteLength < announced) return BROKEN;
    if (read.bytes.byteLength > allowance.most) return { kind: 'oversized' };
    if (!signal.aborted) meter?.end();
    return read;
  } catch {
    return BROKEN;
  }
}

/** A short body, whose bytes count all the same, since it may be larger than it was announced. */
async function inOne(response: Response, { reader }: Allowance): Promise<AnswerBytes> {
  const bytes = await response.arrayBuffer();
  reader.take(bytes.byteLength);
  return reader.evicted.aborted ? { kind: 'crowded' } : { kind: 'whole', bytes };
}

/** Frees the connection of a body that is not read any further. */
async function leave(
  body: { cancel(): Promise<void> } | null,
  kind: 'oversized' | 'crowded',
): Promise<AnswerBytes> {
  // If the body broke off by itself, that is as good.
  await body?.cancel().catch(() => {});
  return { kind };
}

/** Statuses of answers that have no content, though some servers announce the length of one (RFC 9110 section 8.6). */
const EMPTY = [204, 205, 304];

/**
 * Bytes that an answer announces; null if it does not say, or counts them before a content coding is undone. Across
 * origins Content-Encoding cannot be read (it is not a safelisted header), so nothing is certain. Where there is a
 * Transfer-Encoding, a Content-Length means nothing (RFC 9112 section 6.3).
 */
export function announcedLength(response: Response, method: string): number | null {
  if (method === 'HEAD' || response.type === 'cors' || EMPTY.includes(response.status)) return null;
  if (['content-encoding', 'transfer-encoding'].some((name) => response.headers.has(name))) return null;
  const length = response.headers.get('content-length') ?? '';
  return /^\d+$/.test(length) ? Number(length) : null;
}

/** Read by hand: not every engine has async iteration of streams (platform.md). */
async function inPieces(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  { most, reader: place }: Allowance,
  meter: ProgressMeter | null,
  signal: AbortSignal,
  pause: System['pause'],
): Promise<AnswerBytes> {
  let size = 0;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const pace = new PauseMeter(LARGE);
  // The server may send nothing for long, so an evicted body is freed at once.
  place.evicted.addEventListener('abort', () => void leave(reader, 'crowded'));
  while (!signal.aborted) {
    const { done, value } = await reader.read();
    if (place.evicted.aborted) return { kind: 'crowded' };
    if (done) break;
    size += value.byteLength;
    if (size > most) return leave(reader, 'oversized');
    place.take(value.byteLength);
    pieces.push(value);
    if (!signal.aborted) meter?.add(value.byteLength);
    // Bytes that the browser has at hand are read in microtasks, which let no other task begin.
    if (pace.isDue(value.byteLength)) await pause();
  }
  return signal.aborted ? BROKEN : { kind: 'whole', bytes: await joined(pieces, pause) };
}

async function joined(
  pieces: readonly Uint8Array<ArrayBuffer>[],
  pause: System['pause'],
): Promise<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.byteLength, 0));
  const pace = new PauseMeter(LARGE);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
    if (pace.isDue(piece.byteLength)) await pause();
  }
  return whole.buffer;
}

/** Counts the bytes of a body and reports them: now and then, and always once at the end. */
export class ProgressMeter {
  readonly #clock: Clock;
  readonly #total: number | null;
  readonly #report: (progress: Progress) => void;
  #loaded = 0;
  #reportedAt: number;

  constructor(clock: Clock, total: number | null, report: (progress: Progress) => void) {
    this.#clock = clock;
    this.#total = total;
    this.#report = report;
    this.#reportedAt = clock.now();
  }

  add(bytes: number): void {
    this.#loaded += bytes;
    if (this.#clock.now() - this.#reportedAt >= INTERVAL) this.#tell();
  }

  end(): void {
    this.#tell();
  }

  #tell(): void {
    this.#reportedAt = this.#clock.now();
    const total = this.#total !== null && this.#total < this.#loaded ? null : this.#total;
    this.#report({ loaded: this.#loaded, total });
  }
}
