/** What pausing needs of the world. */
export interface Ports {
  /** Milliseconds, steadily rising. */
  readonly now: () => number;
  /** Resolves once other work of this thread has had its turn: in a macrotask. */
  readonly pause: () => Promise<void>;
}

/** Milliseconds of work at a stretch: half a frame. */
const SLICE = 8;

/** Does work that can pause, and pauses whenever a slice is used up. Throws the signal's reason once it aborts. */
export async function inSlices<T>(
  work: Generator<void, T>,
  { now, pause }: Ports,
  sliceMs: number = SLICE,
  signal?: AbortSignal,
): Promise<T> {
  let start = now();
  for (;;) {
    signal?.throwIfAborted();
    const step = work.next();
    if (step.done) return step.value;
    if (now() - start < sliceMs) continue;
    await pause();
    start = now();
  }
}
