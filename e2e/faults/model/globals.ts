import type { Disk } from './disk.ts';
import type { Locks } from './locks.ts';
import type { Timeline } from './timeline.ts';

interface Played {
  readonly timeline: Timeline;
  readonly disk: Disk;
  readonly locks: Locks;
}

/** Puts a played world in the place of timers, clock, locks and page; the returned function puts all back. */
export function playGlobals({ timeline, disk, locks }: Played): () => void {
  const timers = new Map<number, () => void>();
  let lastTimer = 0;
  const played = {
    setTimeout: (work: () => void, milliseconds = 0): number => {
      const timer = (lastTimer += 1);
      timers.set(
        timer,
        timeline.schedule(timeline.owner, milliseconds, () => {
          timers.delete(timer);
          work();
        }),
      );
      return timer;
    },
    clearTimeout: (timer: number): void => {
      timers.get(timer)?.();
      timers.delete(timer);
    },
    // fake-indexeddb goes by these.
    setImmediate: disk.queue,
    navigator: { locks: locks.of(() => timeline.owner) },
    performance: { now: () => timeline.now },
    document: undefined,
    addEventListener: undefined,
  };
  const before = Object.getOwnPropertyDescriptors(globalThis);
  const { now } = Date;
  const finalizers = FinalizationRegistry.prototype;
  const register = Object.getOwnPropertyDescriptor(finalizers, 'register') ?? {};
  for (const [name, value] of Object.entries(played))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  Date.now = () => Math.floor(timeline.now);
  // Comlink watches its proxies with a registry that leads back to them, so they have to be released. A worker or page
  // that ends without a word releases nothing, and no process ends with it: 20,000 runs would take 20 GB.
  Object.defineProperty(finalizers, 'register', { ...register, value: () => {} });
  return () => {
    Date.now = now;
    Object.defineProperty(finalizers, 'register', register);
    for (const name of Object.keys(played)) {
      Reflect.deleteProperty(globalThis, name);
      const descriptor: PropertyDescriptor | undefined = Reflect.get(before, name);
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    }
  };
}
