import type {
  CacheInspection,
  CallInspection,
  Inspection,
  LoopInspection,
  OriginInspection,
} from '../../shared/inspection.ts';

/** The parts of the worker that say what they are doing. */
export interface Inspected {
  readonly instance: string;
  /** Milliseconds of the epoch. */
  readonly startedAt: number;
  readonly clock: { now(): number };
  readonly lock: { readonly acting: boolean; readonly generation: number | null };
  readonly clients: { readonly size: number; inspect(): readonly CallInspection[] };
  readonly loops: { inspect(): readonly LoopInspection[] };
  readonly cache: { inspect(): Promise<CacheInspection> };
  readonly origins: { inspect(): readonly OriginInspection[] };
}

/** All that a worker is doing at one instant. */
export async function inspection(parts: Inspected): Promise<Inspection> {
  const { instance, startedAt, clock, lock, clients, loops, cache, origins } = parts;
  return {
    instance,
    startedAt,
    now: clock.now(),
    acting: lock.acting,
    generation: lock.generation,
    pages: clients.size,
    calls: clients.inspect(),
    loops: loops.inspect().map((loop) => (lock.acting ? loop : atRest(loop))),
    cache: await cache.inspect(),
    origins: origins.inspect(),
  };
}

/** Where another engine acts, a loop that is due waits for its turn. */
function atRest(loop: LoopInspection): LoopInspection {
  return loop.state === 'asking' || loop.state === 'queued' ? { ...loop, state: 'resting' } : loop;
}
