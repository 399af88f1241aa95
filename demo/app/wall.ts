import type { CollectionState } from './collection.ts';
import { fill, find, part, say, stamp } from './element.ts';
import type { Waiting } from './outbox/waiting.ts';
import { paintMark } from './outbox/waiting-mark.ts';
import type { Palettes } from './palettes.ts';
import { frameNumber, pictureOf } from './photo.ts';
import type { Photo } from './photo.ts';
import { addressOf } from './route.ts';

/** The contact sheet. A frame stays the same element as long as its photo is there. */
export class Wall {
  readonly #palettes: Palettes;
  readonly #waiting: Waiting;
  readonly #list = find('#wall', HTMLUListElement);
  readonly #empty = find('#wall-empty', HTMLElement);
  readonly #count = find('#count', HTMLElement);
  readonly #more = find('#more', HTMLButtonElement);
  readonly #frames = new Map<number, HTMLLIElement>();
  #selected: number | null = null;

  constructor(palettes: Palettes, waiting: Waiting) {
    this.#palettes = palettes;
    this.#waiting = waiting;
    // The sheet stays the server's: what waits for a photo is a mark on it.
    waiting.subscribe(() => {
      for (const [id, frame] of this.#frames) this.#mark(id, frame);
    });
  }

  /** `arrived` are photos that were not there a moment ago: they develop before one's eyes. */
  render(state: CollectionState, arrived: readonly number[]): void {
    const { rows, total, query, begun, loaded } = state;
    this.#list.setAttribute('aria-busy', String(begun && !loaded));
    this.#drop(rows);
    rows.forEach((photo, index) => {
      const frame = this.#frame(photo);
      if (arrived.includes(photo.id)) frame.classList.add('arrived');
      const there = this.#list.children[index];
      if (there !== frame) this.#list.insertBefore(frame, there ?? null);
    });
    say(this.#empty, emptiness(state));
    this.#count.textContent = loaded ? (query === '' ? String(total) : `${rows.length} of ${total}`) : '';
    this.#more.hidden = query !== '' || rows.length >= total;
  }

  /** Marks the photo that is looked at. */
  select(id: number | null): void {
    this.#selected = id;
    for (const [number, frame] of this.#frames) mark(frame, number === id);
  }

  /** Puts the keyboard back where it came from. */
  focus(id: number): void {
    this.#frames.get(id)?.querySelector('a')?.focus();
  }

  #drop(rows: readonly Photo[]): void {
    const wanted = new Set(rows.map(({ id }) => id));
    for (const [id, frame] of this.#frames) {
      if (wanted.has(id)) continue;
      frame.remove();
      this.#frames.delete(id);
    }
  }

  #frame(photo: Photo): HTMLLIElement {
    const frame = this.#frames.get(photo.id) ?? this.#make(photo.id);
    const picture = find('img', HTMLImageElement, frame);
    const source = pictureOf(photo, 'small');
    if (picture.getAttribute('src') !== source) {
      frame.classList.remove('blank');
      picture.setAttribute('src', source);
    }
    fill(frame, { title: photo.title, stock: this.#palettes.labelOf(photo.palette) });
    const tone = this.#palettes.coloursOf(photo.palette)[1];
    if (tone) frame.style.setProperty('--tone', tone);
    return frame;
  }

  #make(id: number): HTMLLIElement {
    const frame = stamp('frame', HTMLLIElement);
    find('a', HTMLAnchorElement, frame).href = addressOf({ view: 'photo', id });
    fill(frame, { number: frameNumber(id) });
    frame.dataset['id'] = String(id);
    // What cannot be had offline leaves a patch of its palette, not a broken image.
    find('img', HTMLImageElement, frame).addEventListener('error', () => frame.classList.add('blank'));
    frame.addEventListener('animationend', () => frame.classList.remove('arrived'));
    mark(frame, id === this.#selected);
    this.#mark(id, frame);
    this.#frames.set(id, frame);
    return frame;
  }

  #mark(id: number, frame: HTMLElement): void {
    paintMark(part(frame, 'waiting', HTMLElement), this.#waiting.of(id));
  }
}

function mark(frame: HTMLElement, selected: boolean): void {
  frame.classList.toggle('selected', selected);
  const link = find('a', HTMLAnchorElement, frame);
  if (selected) link.setAttribute('aria-current', 'true');
  else link.removeAttribute('aria-current');
}

function emptiness({ rows, query, begun, loaded, error }: CollectionState): string | null {
  if (rows.length > 0 || !begun) return null;
  if (query !== '') return `Nothing is called “${query}”.`;
  if (loaded) return 'The sheet is empty. Add the first photo.';
  return error ? `The collection could not be had: ${error.message}` : 'Developing …';
}
