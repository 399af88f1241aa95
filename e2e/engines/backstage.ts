import type { JournalEntry } from '../server/journal.ts';
import type { Check, Part, Report, Stage } from './scenario.ts';

const PATIENCE = 20_000;

/** What a scenario has inside the page: it keeps the claims and asks the prompter for what no page can do. */
export class Backstage implements Stage {
  readonly controlled: boolean;
  readonly #prompter: string;
  readonly #page: string;
  readonly #checks: Check[] = [];
  #memory: unknown = null;

  constructor(prompter: string, page: string, controlled: boolean) {
    this.#prompter = prompter;
    this.#page = page;
    this.controlled = controlled;
  }

  get memory(): unknown {
    return this.#memory;
  }

  async part(): Promise<Part> {
    const response = await fetch(`${this.#prompter}/part?page=${this.#page}`, { cache: 'no-store' });
    const part: Part = await response.json();
    this.#memory = part.memory;
    return part;
  }

  async report(): Promise<void> {
    const report: Report = { checks: this.#checks, memory: this.#memory };
    await fetch(`${this.#prompter}/report?page=${this.#page}`, {
      method: 'POST',
      body: JSON.stringify(report),
    });
  }

  keep(memory: unknown): void {
    this.#memory = memory;
  }

  check(claim: string, holds: boolean, detail: unknown = ''): void {
    this.#checks.push({ claim, holds, detail: typeof detail === 'string' ? detail : JSON.stringify(detail) });
  }

  same(claim: string, actual: unknown, expected: unknown): void {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
    this.check(claim, is === should, `is ${is}, not ${should}`);
  }

  async until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    const end = performance.now() + PATIENCE;
    while (!(await holds())) {
      if (performance.now() > end) throw new Error(`${what}: not within ${PATIENCE} ms`);
      await this.pause(50);
    }
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    });
  }

  async journal(path: string): Promise<readonly JournalEntry[]> {
    const response = await fetch('/journal', { cache: 'no-store' });
    const entries: readonly JournalEntry[] = await response.json();
    return entries.filter((entry) => entry.path === path);
  }

  async release(key: string, body: string, status = 200): Promise<void> {
    await fetch(`/release?key=${key}&status=${status}`, { method: 'POST', body });
  }

  async down(): Promise<void> {
    await this.#wish('down');
  }

  async up(): Promise<void> {
    await this.#wish('up');
  }

  async stopWorker(): Promise<void> {
    const { instance } = await window.offstage.connect().inspect();
    await this.until('The lock of the worker', () => isHeld(instance));
    await this.#wish('stopWorker');
    await this.until('The death of the worker', async () => !(await isHeld(instance)));
  }

  async publish(): Promise<void> {
    await this.#wish('publish');
    const registration = await navigator.serviceWorker.getRegistration();
    // `ready` would never settle.
    if (!registration) throw new Error('There is no worker that a newer one could wait for');
    await registration.update();
    await this.until('A worker that waits', () => registration.waiting !== null);
  }

  invite(): Promise<unknown> {
    return this.#wish('invite');
  }

  async #wish(wish: string): Promise<unknown> {
    const body = JSON.stringify(this.#memory);
    const response = await fetch(`${this.#prompter}/${wish}`, { method: 'POST', body });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${wish}: ${String(answer)}`);
    return answer;
  }
}

/** Whether a worker lives, seen without a message that would keep it alive. */
export async function isHeld(instance: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name?.includes(instance));
}
