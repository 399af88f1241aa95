import { RestStore } from 'offstage';
import type { Loop, RestEvent } from 'offstage';
import { clock, duration, plural } from './amount.ts';
import { fill, find, part, stamp } from './element.ts';
import type { Inspector } from './inspector.ts';
import { isRecord } from './photo.ts';
import { server } from './resources.ts';

/** Milliseconds; the slider picks by place. */
const INTERVALS = [250, 500, 1_000, 2_000, 5_000, 15_000, 60_000] as const;
const STRIP = 40;

/** A poll whose pace can be changed while it runs. */
export class Pulse {
  readonly #view = stamp('pulse', HTMLElement);
  readonly #range = part(this.#view, 'interval', HTMLInputElement);
  readonly #toggle = part(this.#view, 'toggle', HTMLButtonElement);
  #loop: Loop | null = null;
  #dueAt: number | null = null;

  start(inspector: Inspector): void {
    find('#pulse', HTMLElement).append(this.#view);
    new RestStore(server, 'stats').bind('model', this, 'model');
    server.addListener('statsSuccess', (event) => this.#hear(event));
    server.addListener('statsError', (event) => this.#hear(event));
    this.#range.addEventListener('input', () => this.#setPace());
    this.#toggle.addEventListener('click', () => (this.#loop ? this.#pause() : this.#run()));
    inspector.subscribe((sight) => {
      const loops = sight.kind === 'seen' ? sight.inspection.loops : [];
      this.#dueAt = loops.find(({ action }) => action === 'stats')?.nextDueAt ?? null;
    });
    setInterval(() => this.#count(), 250);
    this.#run();
  }

  #run(): void {
    this.#loop = server.poll('stats', {}, { interval: this.#interval() });
    this.#showState();
  }

  /** What the store is bound to. */
  set model(model: unknown) {
    if (!isRecord(model)) return;
    const photos = Number(model['photos']);
    fill(this.#view, {
      photos: String(photos),
      summary: `photo${photos === 1 ? '' : 's'} after ${plural(Number(model['changes']), 'change')}`,
      clock: clock(String(model['clock'])),
      waiting: String(model['waiting']),
    });
  }

  #pause(): void {
    this.#loop?.stop();
    this.#loop = null;
    this.#dueAt = null;
    this.#showState();
  }

  #setPace(): void {
    if (this.#loop) this.#loop.interval = this.#interval();
    this.#showState();
  }

  #interval(): number {
    return INTERVALS[Number(this.#range.value)] ?? 2_000;
  }

  #hear(event: RestEvent): void {
    fill(this.#view, { last: `${clock(Date.now())}, ${outcomeOf(event)}` });
    this.#dueAt = Date.now() + this.#interval();
    const tick = document.createElement('li');
    tick.className = kindOf(event);
    const strip = part(this.#view, 'strip', HTMLOListElement);
    strip.append(tick);
    while (strip.children.length > STRIP) strip.firstElementChild?.remove();
  }

  #count(): void {
    const left = this.#dueAt === null ? null : this.#dueAt - Date.now();
    const due = left === null ? 'asking' : left <= 0 ? 'now' : `in ${duration(left)}`;
    fill(this.#view, { due: this.#loop ? due : 'paused' });
  }

  #showState(): void {
    const words = duration(this.#interval());
    fill(this.#view, { interval: words });
    this.#range.setAttribute('aria-valuetext', words);
    this.#toggle.textContent = this.#loop ? 'Pause' : 'Resume';
    this.#toggle.setAttribute('aria-pressed', String(!this.#loop));
  }
}

function kindOf({ error, servedFrom, changed }: RestEvent): string {
  if (error) return 'failed';
  if (servedFrom === 'cache') return 'stale';
  return changed ? 'changed' : 'same';
}

function outcomeOf(event: RestEvent): string {
  switch (kindOf(event)) {
    case 'failed':
      return event.status > 0 ? `status ${event.status}` : (event.error?.code ?? 'failed');
    case 'stale':
      return `from the cache, ${duration(event.age * 1_000)} old`;
    case 'same':
      return 'unchanged';
    default:
      return 'changed';
  }
}
