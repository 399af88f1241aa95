import type { RestEvent } from 'offstage';
import type { OwnPart } from './account.ts';
import { clock, duration } from './amount.ts';
import { fill, find, stamp } from './element.ts';
import { RESOURCES } from './resources.ts';

const ROWS = 200;
const STEPS = ['started', 'sent', 'progress'] as const;

/** Every event of every resource, the newest first. */
export class EventLog implements OwnPart {
  readonly #rows = find('#log', HTMLElement);
  readonly #empty = find('#log-empty', HTMLElement);
  #unlisten: (() => void)[] = [];
  #begun = false;

  start(): void {
    for (const resource of RESOURCES) {
      for (const type of ['queued', 'success', 'error', 'reset'])
        resource.addListener(type, (event) => this.#add(event));
    }
    const steps = find('#log-steps', HTMLInputElement);
    steps.addEventListener('change', () => this.#showSteps(steps.checked));
    find('#log-clear', HTMLButtonElement).addEventListener('click', () => this.#clear());
  }

  begin(): void {
    this.#begun = true;
  }

  /** Addresses say what was asked for, so they go, too. */
  end(): void {
    this.#begun = false;
    this.#clear();
  }

  #clear(): void {
    this.#rows.replaceChildren();
    this.#empty.hidden = false;
  }

  /** The worker sends the steps of a loop's ticks only while a page listens for them, so listen only when asked to. */
  #showSteps(wanted: boolean): void {
    for (const unlisten of this.#unlisten) unlisten();
    this.#unlisten = wanted
      ? RESOURCES.flatMap((resource) =>
          STEPS.map((type) => resource.addListener(type, (event) => this.#add(event))),
        )
      : [];
  }

  #add(event: RestEvent): void {
    if (!this.#begun) return;
    const row = stamp('log', HTMLTableRowElement);
    const { action, id, request } = event;
    row.className = kindOf(event);
    fill(row, {
      time: clock(Date.now()),
      event: event.type,
      action,
      id: String(id),
      status: statusOf(event),
      from: sourceOf(event),
      age: event.servedFrom === null ? '' : duration(event.age * 1_000),
      request: `${request.method} ${pathOf(request.url)}`,
    });
    this.#rows.prepend(row);
    this.#empty.hidden = true;
    while (this.#rows.children.length > ROWS) this.#rows.lastElementChild?.remove();
  }
}

function kindOf({ error, stale, changed, servedFrom }: RestEvent): string {
  if (error) return 'failed';
  if (stale) return 'stale';
  return servedFrom === null || !changed ? 'quiet-row' : 'fresh';
}

function statusOf({ status, error, loaded, type }: RestEvent): string {
  if (status > 0) return String(status);
  if (error) return error.code;
  return type === 'progress' ? `${loaded} B` : '';
}

function sourceOf({ servedFrom, stale, changed }: RestEvent): string {
  if (servedFrom === null) return '';
  if (stale) return `${servedFrom}, stale`;
  return changed ? servedFrom : `${servedFrom}, same`;
}

function pathOf(url: string): string {
  return url.startsWith(location.origin) ? url.slice(location.origin.length) : url;
}
