import { RestError } from 'offstage';
import type { OutboxEvent } from 'offstage';
import { announce } from './announce.ts';
import type { Collection } from './collection.ts';
import { fill, find, part, say, stamp } from './element.ts';
import type { Waiting } from './outbox/waiting.ts';
import { needsDecision } from './outbox/waiting-write.ts';
import type { WaitingWrite } from './outbox/waiting-write.ts';
import type { Palettes } from './palettes.ts';
import { isPhoto, isRecord, isTemporary, previewOf } from './photo.ts';
import type { Exposure, PhotoId } from './photo.ts';
import { photos } from './resources.ts';
import { addressOf, go } from './route.ts';
import type { Fields } from './shown-at-once.ts';

export interface EditorPorts {
  readonly collection: Collection;
  readonly palettes: Palettes;
  readonly waiting: Waiting;
  /** Shows a write that waits for a decision. */
  readonly open: (entry: string) => void;
}

/** The form that makes a photo or changes one, or changes what waits to be sent. */
export class Editor {
  readonly #collection: Collection;
  readonly #palettes: Palettes;
  readonly #waiting: Waiting;
  readonly #openOutbox: (entry: string) => void;
  readonly #place = find('#editor', HTMLElement);
  #form: HTMLFormElement | null = null;
  #id: PhotoId | null = null;
  /** The write that waits and whose place the form takes. */
  #write: WaitingWrite | null = null;
  /** What was put into the fields, and the palette that was chosen there; null before. */
  readonly #shown = new WeakMap<HTMLElement, string>();
  #palette: string | null = null;
  /** Resolves to what waits, as the form was opened. */
  #found: Promise<WaitingWrite | null> = Promise.resolve(null);
  /** Forms that are being sent. */
  readonly #busy = new WeakSet<HTMLFormElement>();

  constructor({ collection, palettes, waiting, open }: EditorPorts) {
    this.#collection = collection;
    this.#palettes = palettes;
    this.#waiting = waiting;
    this.#openOutbox = open;
  }

  /** `entry` names a new photo that waits. */
  async create(entry: string | null): Promise<void> {
    const form = this.#open(null, 'New photo', entry === null ? 'Add to the sheet' : 'Save');
    this.#set(fresh());
    if (entry === null) return;
    const write = await this.#look((writes) => writes.find((each) => each.entry.id === entry));
    if (form !== this.#form) return;
    if (write) this.#replace(write);
    else this.#problem('This photo does not wait any more: look for it on the sheet.');
  }

  /** An edit that waits already goes on: another beside it would undo it. */
  async edit(id: PhotoId): Promise<void> {
    const form = this.#open(id, 'Edit photo', 'Save');
    const known = this.#collection.find(id);
    if (known) this.#set(known);
    const write = await this.#look((writes) => lastEdit(writes, id));
    if (form !== this.#form) return;
    if (write) return this.#replace(write);
    const made = isTemporary(id) ? this.#waiting.before(id) : null;
    if (made) return known ? undefined : this.#set(made);
    try {
      const photo = await photos.result(photos.get({ id }));
      if (form !== this.#form || !isPhoto(photo)) return;
      if (known?.version !== photo.version) this.#set(photo);
    } catch (error) {
      if (!known && form === this.#form) this.#problem(messageOf(error));
    }
  }

  hide(): void {
    this.#place.hidden = true;
    this.#place.replaceChildren();
    this.#form = null;
  }

  /** The server has numbered the photo that the form changes. */
  rename(id: PhotoId): void {
    if (!this.#form) return;
    this.#id = id;
    this.#setBack(this.#form);
  }

  #open(id: PhotoId | null, heading: string, submit: string): HTMLFormElement {
    const form = stamp('editor', HTMLFormElement);
    this.#id = id;
    this.#write = this.#palette = null;
    this.#found = Promise.resolve(null);
    this.#form = form;
    this.#place.hidden = false;
    this.#place.replaceChildren(form);
    fill(form, { heading, submit });
    this.#setBack(form);
    part(form, 'reroll', HTMLButtonElement).addEventListener('click', () => {
      find('[name="seed"]', HTMLInputElement, form).value = String(anySeed());
      this.#preview();
    });
    form.addEventListener('change', () => this.#preview());
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit(form);
    });
    return form;
  }

  #setBack(form: HTMLFormElement): void {
    const id = this.#id;
    const back = addressOf(id === null ? { view: 'collection' } : { view: 'photo', id });
    for (const name of ['back', 'cancel']) part(form, name, HTMLAnchorElement).href = back;
  }

  /** Finds what waits and the form goes on with. */
  #look(among: (writes: readonly WaitingWrite[]) => WaitingWrite | undefined): Promise<WaitingWrite | null> {
    this.#found = this.#waiting.load().then((writes) => among(writes) ?? null);
    return this.#found;
  }

  #replace(write: WaitingWrite): void {
    const form = this.#form;
    if (!form || !write.fields) return;
    this.#write = write;
    this.#set(write.fields);
    say(part(form, 'waiting', HTMLElement), 'This has not been sent yet. What you save takes its place.');
  }

  /** What somebody has typed or chosen meanwhile stays. */
  #set({ title, description, palette, seed }: Draft): void {
    const form = this.#form;
    if (!form) return;
    this.#put(find('[name="title"]', HTMLInputElement, form), title);
    this.#put(find('[name="description"]', HTMLTextAreaElement, form), description);
    this.#put(find('[name="seed"]', HTMLInputElement, form), String(seed));
    const chosen = read(form).palette;
    if (this.#palette === null || this.#palette === chosen) {
      this.#palette = palette;
      part(form, 'palettes', HTMLElement).replaceChildren(...this.#palettes.choices(palette));
    }
    this.#preview();
  }

  #put(field: HTMLInputElement | HTMLTextAreaElement, value: string): void {
    const before = this.#shown.get(field);
    if (before !== undefined && before !== field.value) return;
    field.value = value;
    // As the field has it: line ends may be others there.
    this.#shown.set(field, field.value);
  }

  #preview(): void {
    const form = this.#form;
    if (!form) return;
    const source = previewOf(read(form));
    const picture = part(form, 'picture', HTMLImageElement);
    if (picture.getAttribute('src') !== source) picture.setAttribute('src', source);
  }

  async #submit(form: HTMLFormElement): Promise<void> {
    // By Enter it can be sent again before its answer is there.
    if (this.#busy.has(form)) return;
    this.#problem(null);
    showErrors(form, {});
    if (read(form).title.trim() === '') return showErrors(form, { title: 'A photo needs a title.' });
    this.#busy.add(form);
    form.setAttribute('aria-busy', 'true');
    // Another photo may be opened meanwhile.
    const id = this.#id;
    try {
      // It may be sent before it is known what waits, and what its other fields say.
      const found = await this.#found;
      const seen = form === this.#form ? this.#write : found;
      const fields = read(form);
      const changed = await this.#changeWaiting(form, id, seen, fields);
      if (changed === 'kept') return this.#leave(form, 'Your change is kept. It waits in the outbox.');
      if (changed === 'unseen') return;
      const settled = await this.#waiting.settle(send(id, fields));
      if (settled.kind === 'done') this.#finish(form, settled.response);
      else if (settled.kind === 'refused') await this.#refuse(form, settled.event);
      else this.#leave(form, `${fields.title} is kept on this device, and sent as soon as that is possible.`);
    } catch (error) {
      if (form === this.#form) this.#problem(messageOf(error));
    } finally {
      this.#busy.delete(form);
      form.removeAttribute('aria-busy');
    }
  }

  /**
   * Puts the fields in the place of what waits. `gone`: nothing waits any more, or its server may have it, so that another write goes
   * after it. `unseen`: what waits is not what the form has shown.
   */
  async #changeWaiting(
    form: HTMLFormElement,
    id: PhotoId | null,
    seen: WaitingWrite | null,
    fields: Fields,
  ): Promise<'kept' | 'gone' | 'unseen'> {
    const now = await this.#waitingFor(id, seen);
    if (now && !isAsSeen(now, seen)) return this.#showUnseen(form, now);
    if (!seen) return 'gone';
    try {
      await this.#waiting.outbox.edit(seen.entry, { data: { ...fields } });
      return 'kept';
    } catch (error) {
      const then = await this.#waitingFor(id, seen);
      // Somebody has decided about it in this very moment.
      if (then && (needsDecision(then) || !isAsSeen(then, seen))) return this.#showUnseen(form, then);
      if (seen.kind === 'update') return 'gone';
      throw error;
    }
  }

  /** The write that waits, and that what is typed will replace. */
  async #waitingFor(id: PhotoId | null, seen: WaitingWrite | null): Promise<WaitingWrite | undefined> {
    if (id === null && !seen) return undefined;
    const writes = await this.#waiting.load();
    return id === null ? writes.find(({ entry }) => entry.id === seen?.entry.id) : lastEdit(writes, id);
  }

  /** Another tab may have changed it, or its server have named another version: whoever replaces it should know what. */
  #showUnseen(form: HTMLFormElement, write: WaitingWrite): 'unseen' {
    if (form === this.#form) {
      this.#write = write;
      this.#problem(UNSEEN);
      this.#openOutbox(write.entry.id);
    }
    return 'unseen';
  }

  #finish(form: HTMLFormElement, photo: unknown): void {
    if (form !== this.#form || !isPhoto(photo)) return;
    announce(`${photo.title} is on the sheet.`);
    go({ view: 'photo', id: photo.id });
  }

  #leave(form: HTMLFormElement, news: string): void {
    if (form !== this.#form) return;
    const id = this.#id;
    announce(news);
    go(id === null ? { view: 'collection' } : { view: 'photo', id });
  }

  /** What is wrong with a field is put right here. What else is wrong waits in the outbox for somebody to decide. */
  async #refuse(form: HTMLFormElement, event: OutboxEvent): Promise<void> {
    if (form !== this.#form) return;
    const errors = fieldErrors(event.response);
    if (Object.keys(errors).length > 0) {
      await event.discard();
      return showErrors(form, errors);
    }
    this.#leave(form, 'This needs your decision.');
    this.#openOutbox(event.entry.id);
  }

  #problem(text: string | null): void {
    if (this.#form) say(part(this.#form, 'problem', HTMLElement), text);
  }
}

const UNSEEN =
  'What waits for this photo has changed since you opened it: the outbox shows it. Save again to put what you wrote here in its place.';

function lastEdit(writes: readonly WaitingWrite[], id: PhotoId): WaitingWrite | undefined {
  return writes.findLast(({ kind, photo }) => kind === 'update' && photo === id);
}

/** True where it sends what was seen, and has met no other version since. */
function isAsSeen({ entry }: WaitingWrite, seen: WaitingWrite | null): boolean {
  const isSame = entry.id === seen?.entry.id && entry.key === seen.entry.key;
  return isSame && (entry.state !== 'conflict' || seen.entry.state === 'conflict');
}

function send(id: PhotoId | null, fields: Fields): number {
  return id === null ? photos.create(null, { ...fields }) : photos.update({ id }, { ...fields });
}

interface Draft extends Exposure {
  readonly title: string;
  readonly description: string;
  readonly palette: string;
}

function read(form: HTMLFormElement): Fields {
  const data = new FormData(form);
  const text = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
  return {
    title: text('title'),
    description: text('description'),
    palette: text('palette'),
    seed: text('seed'),
  };
}

/** Puts each complaint beside its field and the keyboard into the first of them. */
function showErrors(form: HTMLFormElement, errors: Readonly<Record<string, string>>): void {
  for (const place of form.querySelectorAll<HTMLElement>('[data-error]')) {
    const name = place.dataset['error'] ?? '';
    const text = errors[name] ?? '';
    place.textContent = text;
    form.querySelector(`[name="${name}"]`)?.setAttribute('aria-invalid', String(text !== ''));
  }
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}

/** What the server has against single fields, by name. */
function fieldErrors(body: unknown): Readonly<Record<string, string>> {
  const errors = isRecord(body) ? body['errors'] : null;
  if (!isRecord(errors)) return {};
  return Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, String(text)]));
}

function messageOf(error: unknown): string {
  if (!(error instanceof RestError)) return String(error);
  const { code, message } = error;
  if (code === 'offline' || code === 'network') {
    return 'There is no network, and nothing can be kept on this device. What you wrote stays here.';
  }
  if (code === 'outbox') return 'It is on its way to the server: change it once it is on the sheet.';
  return message;
}

function fresh(): Draft {
  return { title: '', description: '', palette: 'dawn', seed: anySeed() };
}

function anySeed(): number {
  return Math.floor(Math.random() * 1_000_000);
}
