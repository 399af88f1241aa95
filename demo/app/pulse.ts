import { RestStore } from 'offstage';
import type { Loop, LoopInspection, RestEvent } from 'offstage';
import type { OwnPart } from './account.ts';
import { clock, duration, plural } from './amount.ts';
import { fill, find, part, stamp } from './element.ts';
import { momentOf } from './inspector.ts';
import type { Inspector, Sight } from './inspector.ts';
import { isRecord } from './photo.ts';
import { server } from './resources.ts';

/** Milliseconds; the slider picks by place. */
const INTERVALS = [500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;
const USUAL = 2_000;
const KEY = 'pulse-interval';
const STRIP = 40;

const BLANK = { photos: '\u2013', summary: 'photos', clock: '\u2013', waiting: '\u2013', last: 'none yet' };

/** Milliseconds between two steps of a countdown. */
const STEP = 100;

/** A poll whose pace can be changed while it runs. All tabs share it, and the worker keeps the pace of the fastest. */
export class Pulse implements OwnPart {
  readonly #view = stamp('pulse', HTMLElement);
  readonly #range = part(this.#view, 'interval', HTMLInputElement);
  readonly #toggle = part(this.#view, 'toggle', HTMLButtonElement);
  #loop: Loop | null = null;
  /** What the worker makes of it, for all tabs together. */
  #shared: LoopInspection | null = null;
  #begun = false;

  start(inspector: Inspector): void {
    find('#pulse', HTMLElement).append(this.#view);
    new RestStore(server, 'stats').bind('model', this, 'model');
    server.addListener('statsSuccess', (event) => this.#hear(event));
    server.addListener('statsError', (event) => this.#hear(event));
    this.#range.addEventListener('input', () => this.#setPace());
    this.#toggle.addEventListener('click', () => (this.#loop ? this.#pause() : this.#run()));
    inspector.subscribe((sight) => this.#see(sight));
    setInterval(() => {
      if (inspector.isWatched) this.#countDown();
    }, STEP);
    this.#range.max = String(INTERVALS.length - 1);
    this.#range.value = String(chosen());
    this.#showState();
  }

  begin(): void {
    this.#begun = true;
    this.#run();
  }

  end(): void {
    this.#begun = false;
    this.#pause();
    fill(this.#view, BLANK);
    part(this.#view, 'strip', HTMLOListElement).replaceChildren();
  }

  #run(): void {
    this.#loop = server.poll('stats', {}, { interval: this.#interval() });
    this.#showState();
  }

  /** What the store is bound to. */
  set model(model: unknown) {
    if (!this.#begun || !isRecord(model)) return;
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
    this.#showState();
  }

  #setPace(): void {
    localStorage.setItem(KEY, String(this.#interval()));
    if (this.#loop) this.#loop.interval = this.#interval();
    this.#showState();
  }

  #interval(): number {
    return INTERVALS[Number(this.#range.value)] ?? USUAL;
  }

  #hear(event: RestEvent): void {
    if (!this.#begun) return;
    fill(this.#view, { last: `${clock(Date.now())}, ${outcomeOf(event)}` });
    const tick = document.createElement('li');
    tick.className = kindOf(event);
    const strip = part(this.#view, 'strip', HTMLOListElement);
    strip.append(tick);
    while (strip.children.length > STRIP) strip.firstElementChild?.remove();
  }

  #see(sight: Sight): void {
    const loops = sight.kind === 'seen' ? sight.inspection.loops : [];
    this.#shared = loops.find(({ action }) => action === 'stats') ?? null;
    this.#showPace();
    this.#countDown();
  }

  #countDown(): void {
    const due = this.#shared ? momentOf(this.#shared) : '\u2013';
    fill(this.#view, { due: this.#loop || !this.#begun ? due : 'paused here' });
  }

  #showPace(): void {
    fill(this.#view, { pace: this.#shared ? paceOf(this.#shared, this.#loop?.interval ?? null) : '' });
  }

  #showState(): void {
    // What was seen of the loop was of another pace.
    this.#shared = null;
    const words = duration(this.#interval());
    fill(this.#view, { interval: words });
    this.#range.setAttribute('aria-valuetext', words);
    this.#toggle.textContent = this.#loop || !this.#begun ? 'Pause' : 'Go on';
    this.#toggle.disabled = !this.#begun;
    this.#showPace();
    this.#countDown();
  }
}

/** The place of the pace that was chosen in this browser, or of the usual one. */
function chosen(): number {
  const place = INTERVALS.findIndex((interval) => String(interval) === localStorage.getItem(KEY));
  return place >= 0 ? place : INTERVALS.indexOf(USUAL);
}

/** At which pace the worker really asks, given the one that is wanted here; null for none. */
function paceOf({ interval, pages }: LoopInspection, wanted: number | null): string {
  const pace = `The worker asks every ${duration(interval ?? 0)}`;
  const tabs = plural(pages, 'tab');
  if (wanted === null) return `${pace} for ${pages === 1 ? 'another tab' : `${pages} other tabs`}.`;
  if (interval !== null && interval < wanted)
    return `${pace}: another tab wants it so. ${tabs} share the answers.`;
  return pages === 1 ? `${pace}, for this tab.` : `${pace}, once for ${tabs}.`;
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
