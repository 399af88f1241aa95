import type { CDPSession, Page } from '@playwright/test';

/** When a worker was stopped, in milliseconds of the epoch. */
export interface Stop {
  readonly askedAt: number;
  readonly stoppedAt: number;
}

/** Stops the workers of a browser context, as the browser may at any time. Over CDP, so Chromium only. */
export class WorkerStops {
  readonly #devtools: CDPSession;
  /** Ids of the versions that run or start. */
  readonly #running = new Set<string>();
  readonly #listeners = new Set<(versionId: string) => void>();

  private constructor(devtools: CDPSession) {
    this.#devtools = devtools;
    devtools.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
      for (const { versionId, runningStatus } of versions) this.#note(versionId, runningStatus);
    });
  }

  /** Goes through any page of the context, which has to stay open. */
  static async through(page: Page): Promise<WorkerStops> {
    const devtools = await page.context().newCDPSession(page);
    const stops = new WorkerStops(devtools);
    await devtools.send('ServiceWorker.enable');
    return stops;
  }

  /** Resolves once every worker that runs now has been stopped, though a page may wake it at once; null where none runs. */
  async stop(): Promise<Stop | null> {
    const alive = new Set(this.#running);
    if (alive.size === 0) return null;
    const stopped = new Promise<number>((resolve) => {
      const listener = (versionId: string): void => {
        alive.delete(versionId);
        if (alive.size > 0) return;
        this.#listeners.delete(listener);
        resolve(Date.now());
      };
      this.#listeners.add(listener);
    });
    const askedAt = Date.now();
    await this.#devtools.send('ServiceWorker.stopAllWorkers');
    return { askedAt, stoppedAt: await stopped };
  }

  #note(versionId: string, status: string): void {
    if (status !== 'stopped') {
      this.#running.add(versionId);
      return;
    }
    this.#running.delete(versionId);
    for (const listener of this.#listeners) listener(versionId);
  }
}
