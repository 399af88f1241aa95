import type { Connection, Inspection, LoopInspection } from 'offstage';
import { bytes, duration, plural } from './amount.ts';
import { announce } from './announce.ts';
import { fill, find, part, say, stamp } from './element.ts';
import type { Inspector, Sight } from './inspector.ts';

/** What the worker is doing for all tabs together. */
export class WorkerPanel {
  readonly #connection: Connection;
  readonly #view = stamp('worker', HTMLElement);

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  start(inspector: Inspector): void {
    find('#worker', HTMLElement).append(this.#view);
    inspector.subscribe((sight) => this.#render(sight));
    part(this.#view, 'clear', HTMLButtonElement).addEventListener('click', () => void this.#clear());
  }

  #render(sight: Sight): void {
    say(part(this.#view, 'problem', HTMLElement), sight.kind === 'unseen' ? sight.reason : null);
    if (sight.kind === 'unseen') return;
    const { instance, startedAt, now, pages, cache, calls, loops } = sight.inspection;
    fill(this.#view, {
      instance: instance.slice(0, 8),
      life: duration(now - startedAt),
      host: this.#connection.host ?? '',
      pages: String(pages),
      cache: storedOf(cache),
      calls: callsOf(calls, now),
    });
    this.#renderLoops(loops, now);
  }

  #renderLoops(loops: readonly LoopInspection[], now: number): void {
    const list = part(this.#view, 'loops', HTMLUListElement);
    while (list.children.length > loops.length) list.lastElementChild?.remove();
    loops.forEach((loop, index) => {
      const there = list.children[index];
      const row = there ?? stamp('loop', HTMLLIElement);
      if (!there) list.append(row);
      row.classList.toggle('asking', loop.state === 'asking');
      row.classList.toggle('failing', loop.failures > 0);
      fill(row, {
        action: loop.action,
        kind: loop.interval === null ? loop.kind : `${loop.kind}, ${duration(loop.interval)}`,
        state: loop.nextDueAt === null ? loop.state : `in ${duration(loop.nextDueAt - now)}`,
        count: plural(loop.requests, 'request') + (loop.failures > 0 ? `, ${loop.failures} failed` : ''),
      });
    });
  }

  async #clear(): Promise<void> {
    try {
      await this.#connection.cache.clear();
      announce('Stored answers are forgotten.');
    } catch (error) {
      say(part(this.#view, 'problem', HTMLElement), String(error));
    }
  }
}

/** That it is IndexedDB goes without saying; that it is not does not. */
function storedOf({ mode, entries, bytes: size }: Inspection['cache']): string {
  const where = mode === 'indexeddb' ? '' : `, ${mode}`;
  return `${plural(entries, 'answer')}, ${bytes(size)}${where}`;
}

function callsOf(calls: Inspection['calls'], now: number): string {
  if (calls.length === 0) return 'none';
  return calls.map(({ action, since }) => `${action} (${duration(now - since)})`).join(', ');
}
