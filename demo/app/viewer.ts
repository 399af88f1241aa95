import { RestError } from 'offstage';
import type { Query, Snapshot } from 'offstage';
import { day, duration } from './amount.ts';
import { announce } from './announce.ts';
import type { Collection } from './collection.ts';
import { confirm } from './confirm.ts';
import { fill, find, part, say, stamp } from './element.ts';
import { paintSwatches } from './palettes.ts';
import type { Waiting } from './outbox/waiting.ts';
import { paintMark } from './outbox/waiting-mark.ts';
import { foremost, mayBeDone } from './outbox/waiting-write.ts';
import type { WaitingWrite } from './outbox/waiting-write.ts';
import type { Palettes } from './palettes.ts';
import { frameNumber, isListing, isPhoto, isTemporary, pictureOf } from './photo.ts';
import type { Changed, Photo, PhotoId } from './photo.ts';
import { photos } from './resources.ts';
import { addressOf, go } from './route.ts';

const BLANK = Object.fromEntries(
  ['title', 'description', 'palette', 'number', 'seed', 'version', 'created', 'updated', 'source'].map(
    (field) => [field, ''],
  ),
);

export interface ViewerPorts {
  readonly collection: Collection;
  readonly palettes: Palettes;
  readonly waiting: Waiting;
  /** Shows a write that waits. */
  readonly open: (entry: string | null) => void;
}

/** One photo in large, with all that is known of it. */
export class Viewer {
  readonly #collection: Collection;
  readonly #palettes: Palettes;
  readonly #waiting: Waiting;
  readonly #openOutbox: (entry: string | null) => void;
  readonly #place = find('#viewer', HTMLElement);
  readonly #view = stamp('viewer', HTMLElement);
  readonly #note: HTMLElement;
  #id: PhotoId | null = null;
  #photo: Photo | null = null;
  /** What is asked of the server about the photo. */
  #query: Query | null = null;
  /** Photos that are being deleted, and deletes that are being taken back. */
  readonly #busy = new Set<PhotoId>();
  #leave = (): void => {};

  constructor({ collection, palettes, waiting, open }: ViewerPorts) {
    this.#collection = collection;
    this.#palettes = palettes;
    this.#waiting = waiting;
    this.#openOutbox = open;
    this.#note = part(this.#view, 'note', HTMLElement);
    this.#place.append(this.#view);
    part(this.#view, 'delete', HTMLButtonElement).addEventListener('click', () => void this.#delete());
    part(this.#view, 'waiting', HTMLButtonElement).addEventListener('click', () => this.#showWaiting());
    document.addEventListener('keydown', (event) => this.#step(event));
    collection.subscribe(() => this.#look());
    photos.addListener('changesSuccess', ({ response }) => {
      if (isListing(response) && response.changed) this.#hear(response.changed);
    });
    waiting.subscribe(() => this.#renderWaiting());
  }

  /** Shows at once what is known here or stored, and then what the server says. */
  show(id: PhotoId): void {
    this.hide();
    this.#place.hidden = false;
    this.#follow(id);
  }

  /** The server has numbered the photo that is shown. */
  rename(id: PhotoId): void {
    if (this.#id !== null) this.#follow(id);
  }

  /** Shows the same photo again, now that its colours are known. */
  repaint(): void {
    if (this.#photo && this.#id !== null) this.#render(this.#photo);
  }

  hide(): void {
    this.#leave();
    this.#leave = (): void => {};
    this.#place.hidden = true;
    this.#id = this.#photo = this.#query = null;
    part(this.#view, 'picture', HTMLImageElement).removeAttribute('src');
    part(this.#view, 'picture', HTMLImageElement).alt = '';
    fill(this.#view, BLANK);
  }

  #follow(id: PhotoId): void {
    this.#leave();
    this.#id = id;
    this.#query = null;
    say(this.#note, null);
    const known = this.#collection.find(id);
    if (known) this.#render(known);
    this.#renderWaiting();
    if (!isTemporary(id)) this.#ask(id);
    else if (!known) this.#lookForNew(id);
  }

  /** Of a photo that waits to be sent, this device alone knows. */
  #lookForNew(id: string): void {
    const known = this.#collection.find(id);
    if (known) {
      this.#leave();
      say(this.#note, null);
      this.#render(known);
    } else if (this.#collection.state.loaded && !this.#query) {
      // It has been sent meanwhile, or never will be.
      this.#ask(id);
    }
  }

  #ask(id: PhotoId): void {
    const query = photos.query('get', { id });
    this.#query = query;
    this.#leave = query.subscribe(() => this.#draw(id, query.snapshot));
    this.#draw(id, query.snapshot);
  }

  #draw(id: PhotoId, snapshot: Snapshot): void {
    const { data, error } = snapshot;
    // Offstage has asked by the number that a temporary id stands for.
    if (isPhoto(data) && data.id !== id) return location.replace(addressOf({ view: 'photo', id: data.id }));
    fill(this.#view, { source: sourceOf(snapshot) });
    if (isPhoto(data)) this.#render(data);
    else if (error) fill(this.#view, { title: this.#photo?.title ?? `Frame ${frameNumber(id)}` });
    if (error) say(this.#note, this.#problemOf(error, id));
    else if (isPhoto(data)) say(this.#note, null);
  }

  /** Without a network, what the sheet knows will do. */
  #problemOf(error: RestError, id: PhotoId): string | null {
    if (isGone(error, id)) return 'This photo is not in the collection.';
    if (error.code !== 'offline' && error.code !== 'network') return error.message;
    return this.#photo ? null : 'No network, and this photo is not kept on this device.';
  }

  /** Somebody, here or elsewhere, has changed something. */
  #hear(changed: Changed): void {
    const id = this.#id;
    if (id === null) return;
    if (changed.deleted.includes(id))
      say(this.#note, 'This photo has just been taken out of the collection.');
    else if (changed.updated.includes(id)) void this.#query?.refresh();
  }

  /** The sheet has changed. */
  #look(): void {
    const id = this.#id;
    if (id === null) return;
    this.#renderSteps(id);
    if (isTemporary(id)) this.#lookForNew(id);
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
      number: isTemporary(id) ? 'none yet' : frameNumber(id),
      seed: String(seed),
      version: version > 0 ? String(version) : 'none yet',
      created: version > 0 ? day(createdAt) : 'not sent yet',
      updated: version > 1 ? day(updatedAt) : 'never',
    });
    if (isTemporary(id)) fill(this.#view, { source: 'from this device' });
    paintSwatches(part(this.#view, 'swatches', HTMLElement), this.#palettes.coloursOf(palette));
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

  #renderSteps(id: PhotoId): void {
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

  /** What waits to be done with it. */
  get #writes(): readonly WaitingWrite[] {
    return this.#id === null ? [] : this.#waiting.of(this.#id);
  }

  /** A delete that waits can be taken back, and leaves nothing to edit. */
  #renderWaiting(): void {
    const isDeleted = this.#writes.some(({ kind }) => kind === 'remove');
    paintMark(part(this.#view, 'waiting', HTMLButtonElement), this.#writes);
    fill(this.#view, { delete: isDeleted ? 'Undo delete' : 'Delete' });
    const edit = part(this.#view, 'edit', HTMLAnchorElement);
    if (isDeleted || this.#id === null) edit.removeAttribute('href');
    else edit.href = addressOf({ view: 'edit', id: this.#id });
  }

  #showWaiting(): void {
    this.#openOutbox(foremost(this.#writes)?.entry.id ?? null);
  }

  async #delete(): Promise<void> {
    const photo = this.#photo;
    if (!photo) return;
    const waiting = this.#writes.find(({ kind }) => kind === 'remove');
    const name = waiting?.entry.id ?? photo.id;
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    try {
      if (waiting) await this.#undo(waiting, photo.id);
      else if (await this.#isSure(photo)) await this.#remove(photo);
    } catch (error) {
      const what = waiting ? 'The delete is not taken back' : 'It is still here';
      if (this.#id === photo.id)
        say(this.#note, `${what}: ${error instanceof RestError ? error.message : String(error)}`);
    } finally {
      this.#busy.delete(name);
    }
  }

  #isSure({ title }: Photo): Promise<boolean> {
    return confirm(`Delete “${title}”?`, 'It goes from every tab, and there is no bin.', 'Delete');
  }

  /** The server may have the delete already. */
  async #undo(write: WaitingWrite, id: PhotoId): Promise<void> {
    await this.#waiting.outbox.discard(write.entry.id);
    // It may have been sent meanwhile.
    const last = this.#waiting.of(id).find(({ entry }) => entry.id === write.entry.id) ?? write;
    const doubt = mayBeDone(last) ? 'The server may have deleted it all the same.' : null;
    announce(doubt ?? 'The photo stays.');
    if (doubt !== null && this.#id === id) say(this.#note, doubt);
    await this.#waiting.load();
  }

  async #remove({ id, title }: Photo): Promise<void> {
    const settled = await this.#waiting.settle(photos.remove({ id }));
    if (settled.kind === 'refused') {
      if (this.#id === id) this.#openOutbox(settled.event.entry.id);
      return;
    }
    if (settled.kind === 'waits' && !(await this.#isDeleted(id))) return;
    if (this.#id !== id) return;
    const when = settled.kind === 'done' ? 'is deleted' : 'is deleted as soon as the server can be told';
    announce(`${title} ${when}.`);
    go({ view: 'collection' });
  }

  /** False where the delete was taken back as soon as it could be. */
  async #isDeleted(id: PhotoId): Promise<boolean> {
    const writes = await this.#waiting.load();
    return writes.some(({ kind, photo }) => kind === 'remove' && photo === id);
  }
}

function sourceOf({ servedFrom, stale, answeredAt, fetching }: Snapshot): string {
  if (servedFrom === null) return fetching ? 'asking …' : 'from the sheet';
  if (servedFrom === 'network') return 'from the server';
  return `from the cache${stale ? ', stale' : ''}, ${duration(Date.now() - (answeredAt ?? 0))} old`;
}

/** The server takes no temporary id for a photo. */
function isGone({ failure }: RestError, id: PhotoId): boolean {
  return failure.code === 'http' && (failure.status === 404 || isTemporary(id));
}
