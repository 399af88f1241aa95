import type { Connection, Inspection, LoopInspection, OriginInspection } from 'offstage';
import { bytes, duration, plural } from './amount.ts';
import { announce } from './announce.ts';
import { fill, find, part, say, stamp } from './element.ts';
import { momentOf } from './inspector.ts';
import type { Inspector, Sight } from './inspector.ts';

/** Milliseconds between two steps of a countdown. */
const STEP = 100;

/** What the worker is doing for all tabs together. */
export class WorkerPanel {
  readonly #connection: Connection;
  readonly #view = stamp('worker', HTMLElement);
  readonly #loops = part(this.#view, 'loops', HTMLUListElement);
  #seen: readonly LoopInspection[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  start(inspector: Inspector): void {
    find('#worker', HTMLElement).append(this.#view);
    inspector.subscribe((sight) => this.#render(sight));
    setInterval(() => {
      if (inspector.isWatched) this.#countDown();
    }, STEP);
    part(this.#view, 'clear', HTMLButtonElement).addEventListener('click', () => void this.#clear());
  }

  #render(sight: Sight): void {
    say(part(this.#view, 'problem', HTMLElement), sight.kind === 'unseen' ? sight.reason : null);
    if (sight.kind === 'unseen') return;
    const { instance, startedAt, now, pages, cache, calls, loops, origins } = sight.inspection;
    fill(this.#view, {
      instance: instance.slice(0, 8),
      life: duration(now - startedAt),
      host: this.#connection.host ?? '',
      pages: String(pages),
      cache: storedOf(cache),
      calls: callsOf(calls, now),
    });
    this.#renderLoops(loops);
    listRows(part(this.#view, 'origins', HTMLUListElement), origins, (row, each) => {
      row.classList.toggle('failing', each.status !== 'reachable');
      fill(row, { name: nameOf(each), state: each.status, count: `for ${duration(now - each.since)}` });
    });
  }

  #renderLoops(loops: readonly LoopInspection[]): void {
    this.#seen = loops;
    listRows(this.#loops, loops, (row, loop) => {
      row.classList.toggle('asking', loop.state === 'asking');
      row.classList.toggle('failing', loop.failures > 0);
      const pace = loop.interval === null ? '' : ` every ${duration(loop.interval)}`;
      fill(row, { name: loop.action, kind: `${loop.kind}${pace}`, count: countsOf(loop) });
    });
    this.#countDown();
  }

  /** Between two looks at the worker time passes all the same. */
  #countDown(): void {
    this.#seen.forEach((loop, index) => {
      const row = this.#loops.children[index];
      if (row) fill(row, { state: momentOf(loop) });
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

/** As many rows as there are entries, each row the same element as long as it is there. */
function listRows<Entry>(
  list: HTMLElement,
  entries: readonly Entry[],
  render: (row: Element, entry: Entry) => void,
): void {
  while (list.children.length > entries.length) list.lastElementChild?.remove();
  entries.forEach((entry, index) => {
    const there = list.children[index];
    const row = there ?? stamp('loop', HTMLLIElement);
    if (!there) list.append(row);
    render(row, entry);
  });
}

function countsOf({ pages, requests, failures }: LoopInspection): string {
  const counts = [plural(pages, 'page'), plural(requests, 'request')];
  return [...counts, ...(failures > 0 ? [`last ${failures} failed`] : [])].join(', ');
}

function nameOf({ origin }: OriginInspection): string {
  return origin.replace(/^https?:\/\//, '');
}

/** That it is IndexedDB goes without saying; that it is not does not. */
function storedOf({ mode, entries, bytes: size }: Inspection['cache']): string {
  if (entries === null || size === null) return 'the database does not answer';
  const where = mode === 'indexeddb' ? '' : `, ${mode}`;
  return `${plural(entries, 'answer')}, ${bytes(size)}${where}`;
}

function callsOf(calls: Inspection['calls'], now: number): string {
  if (calls.length === 0) return 'none';
  return calls.map(({ action, since }) => `${action} (${duration(now - since)})`).join(', ');
}
