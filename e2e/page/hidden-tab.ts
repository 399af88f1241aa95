import { Resource } from 'offstage';
import { report } from './lives.ts';

/** What a hidden tab says of each tick that it is told. */
export interface HiddenTick {
  readonly name: string;
  readonly hidden: boolean;
  /** Null where the tick brought an answer. */
  readonly error: string | null;
  /** The worker's lives that hold a lock. */
  readonly lives: readonly string[];
  /** Milliseconds that a timer of one second has taken, the slowest so far: what the browser does to hidden pages. */
  readonly slowestTimer: number;
}

/** Hides itself behind another tab, then polls for as long as the page lives. The browser must let it open tabs. */
export async function pollHidden(name: string, interval: number): Promise<void> {
  const hidden = becomesHidden();
  // Of another site, so that no visible page shares a process with this one.
  open(`http://localhost:${location.port}/bare.html`, '_blank', 'noopener');
  await hidden;
  const timers = new Timers();
  const resource = new Resource({ live: { method: 'GET', url: `/etag/${name}` } });
  const tell = async (error: string | null): Promise<void> => {
    const { slowest: slowestTimer } = timers;
    const tick = { name, hidden: document.hidden, error, lives: await livesOfWorker(), slowestTimer };
    await report(tick satisfies HiddenTick);
  };
  resource.addListener('liveSuccess', () => void tell(null));
  resource.addListener('liveError', ({ error }) => void tell(String(error)));
  resource.poll('live', {}, { interval, hidden: 'continue' });
}

async function becomesHidden(): Promise<void> {
  while (!document.hidden) {
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
  }
}

/** Seen without a message, which would keep the worker alive. */
async function livesOfWorker(): Promise<string[]> {
  const { held = [] } = await navigator.locks.query();
  return held.flatMap(({ name = '' }) => (name.startsWith('offstage:worker:') ? [name] : []));
}

/** Timers of a second, one after the other. */
class Timers {
  slowest = 0;

  constructor() {
    void this.#run();
  }

  async #run(): Promise<void> {
    for (;;) {
      const began = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      this.slowest = Math.max(this.slowest, Date.now() - began);
    }
  }
}
