import type { BrowserContext, Worker } from '@playwright/test';
import { isCall, isEnvelope, isReply } from '../../src/shared/guard.ts';
import { WORKER_CALLS } from '../../src/shared/protocol.ts';

/** One message that has reached the worker. */
export interface Heard {
  /** Milliseconds of the epoch. */
  readonly at: number;
  /** The URL of the page that sent it. */
  readonly from: string;
  /** `stay`: the worker is asked to stay; `answer`: to what it has delivered; `other`: all else. */
  readonly kind: 'keepalive' | 'answer' | 'other';
}

/** Listens to the worker that runs now, beside the library: nothing of what is counted is the library's own count. */
export class WorkerMessages {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  static async of(context: BrowserContext): Promise<WorkerMessages> {
    const worker = context.serviceWorkers().at(-1) ?? (await context.waitForEvent('serviceworker'));
    await worker.evaluate(() => {
      const heard: Raw[] = [];
      Object.assign(globalThis, { heard });
      addEventListener('message', ({ data, source }: MessageEvent) => {
        const from = source && 'url' in source ? String(source.url) : '';
        heard.push({ at: Date.now(), from, data });
      });
    });
    return new WorkerMessages(worker);
  }

  /** All since then, in milliseconds of the epoch. */
  async since(then: number): Promise<Heard[]> {
    // Only the life that was listened to has these: of another one this throws.
    const heard: Raw[] = await this.#worker.evaluate(() => Reflect.get(globalThis, 'heard'));
    return heard.flatMap(({ at, from, data }) => (at >= then ? [{ at, from, kind: kindOf(data) }] : []));
  }
}

interface Raw {
  readonly at: number;
  readonly from: string;
  readonly data: unknown;
}

function kindOf(data: unknown): Heard['kind'] {
  if (!isEnvelope(data)) return 'other';
  const { message } = data;
  if (!isCall(message, WORKER_CALLS)) return isReply(message) ? 'answer' : 'other';
  const { kind } = Object(message.argumentList[0]?.value);
  return message.path[0] === 'control' && kind === 'keepalive' ? 'keepalive' : 'other';
}
