import type { CollectionState } from './collection.ts';
import { fill, find, part, say, stamp } from './element.ts';
import type { Waiting } from './outbox/waiting.ts';
import { paintMark } from './outbox/waiting-mark.ts';
import type { Palettes } from './palettes.ts';
import { frameNumber, pictureOf } from './photo.ts';
import type { Photo, PhotoId } from './photo.ts';
import { addressOf } from './route.ts';

/** The contact sheet. A frame stays the same element as long as its photo is there, when the server has numbered that, too. */
export class Wall {
  readonly #palettes: Palettes;
  readonly #waiting: Waiting;
  readonly #list = find('#wall', HTMLUListElement);
  readonly #empty = find('#wall-empty', HTMLElement);
  readonly #count = find('#count', HTMLElement);
  readonly #more = find('#more', HTMLButtonElement);
  readonly #frames = new Map<PhotoId, HTMLLIElement>();
  #query = '';
  #selected: PhotoId | null = null;

  constructor(palettes: Palettes, waiting: Waiting) {
    this.#palettes = palettes;
    this.#waiting = waiting;
    waiting.subscribe(() => this.#markAll());
  }

  render(state: CollectionState): void {
    const { rows, total, query, begun, loaded } = state;
    this.#list.setAttribute('aria-busy', String(begun && !loaded));
    this.#drop(rows);
    // What the server has told of, and comes before all that was there, develops before one's eyes.
    let isNew = this.#frames.size > 0 && query === this.#query;
    this.#query = query;
    rows.forEach((photo, index) => {
      isNew &&= !this.#frames.has(photo.id);
      const frame = this.#frame(photo);
      if (isNew && !photo.isDraft) frame.classList.add('arrived');
      const there = this.#list.children[index];
      if (there !== frame) this.#list.insertBefore(frame, there ?? null);
    });
    this.#markAll();
    say(this.#empty, emptiness(state));
    this.#count.textContent = loaded ? (query === '' ? String(total) : `${rows.length} of ${total}`) : '';
    this.#more.hidden = query !== '' || rows.length >= total;
  }

  /** Marks the photo that is looked at. */
  select(id: PhotoId | null): void {
    this.#selected = id;
    for (const [number, frame] of this.#frames) mark(frame, number === id);
  }

  /** Puts the keyboard back where it came from. */
  focus(id: PhotoId): void {
    this.#frames.get(id)?.querySelector('a')?.focus();
  }

  /** The server has numbered a new photo: it keeps its frame. */
  rename(temporaryId: PhotoId, id: PhotoId): void {
    const frame = this.#frames.get(temporaryId);
    if (!frame) return;
    this.#frames.delete(temporaryId);
    this.#frames.set(id, frame);
    name(frame, id);
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

  #make(id: PhotoId): HTMLLIElement {
    const frame = stamp('frame', HTMLLIElement);
    name(frame, id);
    // What cannot be had offline leaves a patch of its palette, not a broken image.
    find('img', HTMLImageElement, frame).addEventListener('error', () => frame.classList.add('blank'));
    frame.addEventListener('animationend', () => frame.classList.remove('arrived'));
    mark(frame, id === this.#selected);
    this.#frames.set(id, frame);
    return frame;
  }

  /** Says of each photo what waits for it. */
  #markAll(): void {
    for (const [id, frame] of this.#frames)
      paintMark(part(frame, 'waiting', HTMLElement), this.#waiting.of(id));
  }
}

function name(frame: HTMLElement, id: PhotoId): void {
  find('a', HTMLAnchorElement, frame).href = addressOf({ view: 'photo', id });
  fill(frame, { number: frameNumber(id) });
  frame.dataset['id'] = String(id);
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
