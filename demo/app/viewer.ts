import { RestError } from 'offstage';
import type { RestEvent } from 'offstage';
import { day, duration } from './amount.ts';
import { announce } from './announce.ts';
import type { Collection } from './collection.ts';
import { confirm } from './confirm.ts';
import { fill, find, part, say, stamp } from './element.ts';
import { paintSwatches } from './palettes.ts';
import type { Palettes } from './palettes.ts';
import { frameNumber, isPhoto, pictureOf } from './photo.ts';
import type { Changed, Photo } from './photo.ts';
import { photos } from './resources.ts';
import { addressOf, go } from './route.ts';

const BLANK = Object.fromEntries(
  ['title', 'description', 'palette', 'number', 'seed', 'version', 'created', 'updated', 'source'].map(
    (field) => [field, ''],
  ),
);

/** One photo in large, with all that is known of it. */
export class Viewer {
  readonly #collection: Collection;
  readonly #palettes: Palettes;
  readonly #place = find('#viewer', HTMLElement);
  readonly #view = stamp('viewer', HTMLElement);
  readonly #note: HTMLElement;
  #id: number | null = null;
  #photo: Photo | null = null;
  /** The invocation whose answer is waited for. */
  #asked = 0;

  constructor(collection: Collection, palettes: Palettes) {
    this.#collection = collection;
    this.#palettes = palettes;
    this.#note = part(this.#view, 'note', HTMLElement);
    this.#place.append(this.#view);
    part(this.#view, 'delete', HTMLButtonElement).addEventListener('click', () => void this.#delete());
    document.addEventListener('keydown', (event) => this.#step(event));
    photos.addListener('getSuccess', (event) => this.#take(event));
    photos.addListener('getError', (event) => this.#fail(event));
    collection.subscribe((_state, changed) => this.#hear(changed));
  }

  /** Shows at once what the sheet knows, and then what the server says. */
  show(id: number): void {
    this.#place.hidden = false;
    this.#id = id;
    this.#photo = null;
    say(this.#note, null);
    fill(this.#view, { ...BLANK, source: 'asking …' });
    const known = this.#collection.find(id);
    if (known) this.#render(known);
    this.#asked = photos.get({ id, size: 'large' });
  }

  /** Shows the same photo again, now that its colours are known. */
  repaint(): void {
    if (this.#photo && this.#id !== null) this.#render(this.#photo);
  }

  hide(): void {
    this.#place.hidden = true;
    this.#id = this.#photo = null;
    this.#asked = 0;
    part(this.#view, 'picture', HTMLImageElement).removeAttribute('src');
    part(this.#view, 'picture', HTMLImageElement).alt = '';
    fill(this.#view, BLANK);
  }

  #take({ response, servedFrom, stale, age }: RestEvent): void {
    if (!isPhoto(response) || response.id !== this.#id) return;
    this.#render(response);
    const source = servedFrom === 'cache' ? `from the cache${stale ? ', stale' : ''}` : 'from the server';
    fill(this.#view, { source: servedFrom === 'cache' ? `${source}, ${duration(age * 1_000)} old` : source });
    say(this.#note, null);
  }

  #fail({ id, status, error }: RestEvent): void {
    if (id !== this.#asked) return;
    fill(this.#view, { source: 'none' });
    if (!this.#photo) fill(this.#view, { title: `Frame ${frameNumber(this.#id ?? 0)}` });
    say(
      this.#note,
      status === 404
        ? 'This photo is not in the collection.'
        : (error?.message ?? 'The photo could not be had.'),
    );
  }

  /** Somebody, here or elsewhere, has changed something. */
  #hear(changed: Changed | null): void {
    const id = this.#id;
    if (id === null) return;
    this.#renderSteps(id);
    if (changed?.deleted.includes(id))
      say(this.#note, 'This photo has just been taken out of the collection.');
    else if (changed?.updated.includes(id)) this.#asked = photos.get({ id, size: 'large' });
  }

  #render(photo: Photo): void {
    this.#photo = photo;
    const { id, title, description, palette, seed, version, createdAt, updatedAt } = photo;
    const picture = part(this.#view, 'picture', HTMLImageElement);
    const source = pictureOf(photo, 'large');
    if (picture.getAttribute('src') !== source) picture.setAttribute('src', source);
    picture.alt = `A drawn picture: ${title}`;
    fill(this.#view, {
      title,
      description,
      palette: this.#palettes.labelOf(palette),
      number: frameNumber(id),
      seed: String(seed),
      version: String(version),
      created: day(createdAt),
      updated: version > 1 ? day(updatedAt) : 'never',
    });
    paintSwatches(part(this.#view, 'swatches', HTMLElement), this.#palettes.coloursOf(palette));
    part(this.#view, 'edit', HTMLAnchorElement).href = addressOf({ view: 'edit', id });
    this.#renderSteps(id);
    document.title = `${title} · Contact Sheet`;
  }

  /** Left and right leaf through the sheet, unless they are needed where one types. */
  #step({ key, target, altKey, ctrlKey, metaKey }: KeyboardEvent): void {
    const name = { ArrowLeft: 'newer', ArrowRight: 'older' }[key];
    const busy = target instanceof HTMLElement && target.closest('input, select, textarea, [role=region]');
    if (!name || busy || this.#id === null || altKey || ctrlKey || metaKey) return;
    part(this.#view, name, HTMLAnchorElement).click();
  }

  #renderSteps(id: number): void {
    const { rows } = this.#collection.state;
    const index = rows.findIndex((row) => row.id === id);
    for (const [name, row] of [
      ['newer', index > 0 ? rows[index - 1] : undefined],
      ['older', index >= 0 ? rows[index + 1] : undefined],
    ] as const) {
      const link = part(this.#view, name, HTMLAnchorElement);
      if (row) link.href = addressOf({ view: 'photo', id: row.id });
      else link.removeAttribute('href');
    }
  }

  async #delete(): Promise<void> {
    const photo = this.#photo;
    if (!photo) return;
    const sure = await confirm(`Delete “${photo.title}”?`, 'It goes from every tab, and there is no bin.');
    if (!sure) return;
    try {
      await photos.result(photos.remove({ id: photo.id }));
      this.#collection.reload();
      announce(`${photo.title} is deleted.`);
      go({ view: 'collection' });
    } catch (error) {
      say(this.#note, `It is still here: ${error instanceof RestError ? error.message : String(error)}`);
    }
  }
}
