import type { System } from './system.ts';

/**
 * The lock that names one life of the worker and is held for as long as that lasts, so that pages learn of its end at
 * once: milliseconds after the worker's death in Chromium and Firefox (platform.md).
 */
export class LifeLock {
  /** Resolves to its name when it is granted, to null where the platform has no locks. */
  readonly granted: Promise<string | null>;
  /** This life is over, though the worker runs on. */
  release: () => void = () => {};

  constructor({ locks }: Pick<System, 'locks'>, name: string) {
    const ended = new Promise<void>((resolve) => {
      this.release = resolve;
    });
    this.granted = new Promise((resolve) => {
      const hold = (): Promise<void> => {
        resolve(name);
        return ended;
      };
      if (locks) locks.request(name, hold).catch(() => resolve(null));
      else resolve(null);
    });
  }
}
