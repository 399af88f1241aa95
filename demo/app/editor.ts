import { RestError } from 'offstage';
import { announce } from './announce.ts';
import type { Collection } from './collection.ts';
import { fill, find, part, say, stamp } from './element.ts';
import type { Palettes } from './palettes.ts';
import { isPhoto, isRecord } from './photo.ts';
import type { Photo } from './photo.ts';
import { photos } from './resources.ts';
import { addressOf, go } from './route.ts';

/** The form that makes a photo or changes one. What was typed stays until the server has it. */
export class Editor {
  readonly #collection: Collection;
  readonly #palettes: Palettes;
  readonly #place = find('#editor', HTMLElement);
  #form: HTMLFormElement | null = null;
  #id: number | null = null;
  /** The ETag of what is being changed: it goes back as `If-Match`, so that nobody's change is lost unseen. */
  #tag: string | null = null;

  constructor(collection: Collection, palettes: Palettes) {
    this.#collection = collection;
    this.#palettes = palettes;
  }

  create(): void {
    this.#open(null, 'New photo', 'Add to the sheet');
    this.#set({ title: '', description: '', palette: 'dawn', seed: anySeed() });
  }

  async edit(id: number): Promise<void> {
    const form = this.#open(id, 'Edit photo', 'Save');
    const known = this.#collection.find(id);
    if (known) this.#set(known);
    try {
      const { photo, tag } = await load(id);
      if (form !== this.#form) return;
      if (known?.version !== photo.version) this.#set(photo);
      this.#tag = tag;
    } catch (error) {
      if (!known && form === this.#form) this.#problem(messageOf(error));
    }
  }

  hide(): void {
    this.#place.hidden = true;
    this.#place.replaceChildren();
    this.#form = null;
  }

  #open(id: number | null, heading: string, submit: string): HTMLFormElement {
    const form = stamp('editor', HTMLFormElement);
    const back = addressOf(id === null ? { view: 'collection' } : { view: 'photo', id });
    this.#id = id;
    this.#tag = null;
    this.#form = form;
    this.#place.hidden = false;
    this.#place.replaceChildren(form);
    fill(form, { heading, submit });
    for (const name of ['back', 'cancel']) part(form, name, HTMLAnchorElement).href = back;
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

  #set({ title, description, palette, seed }: Draft): void {
    const form = this.#form;
    if (!form) return;
    find('[name="title"]', HTMLInputElement, form).value = title;
    find('[name="description"]', HTMLTextAreaElement, form).value = description;
    find('[name="seed"]', HTMLInputElement, form).value = String(seed);
    part(form, 'palettes', HTMLElement).replaceChildren(...this.#palettes.choices(palette));
    this.#preview();
  }

  #preview(): void {
    const form = this.#form;
    if (!form) return;
    const { palette, seed } = read(form);
    const source = `/api/preview.svg?${new URLSearchParams({ palette, seed }).toString()}`;
    const picture = part(form, 'picture', HTMLImageElement);
    if (picture.getAttribute('src') !== source) picture.setAttribute('src', source);
  }

  async #submit(form: HTMLFormElement): Promise<void> {
    const fields = read(form);
    this.#problem(null);
    showErrors(form, {});
    if (fields.title.trim() === '') return showErrors(form, { title: 'A photo needs a title.' });
    form.setAttribute('aria-busy', 'true');
    try {
      const photo = await photos.result(this.#send(fields));
      this.#collection.reload();
      if (form !== this.#form || !isPhoto(photo)) return;
      announce(`${photo.title} is on the sheet.`);
      go({ view: 'photo', id: photo.id });
    } catch (error) {
      if (form === this.#form) this.#refuse(form, error);
    } finally {
      form.removeAttribute('aria-busy');
    }
  }

  #send(fields: Fields): number {
    if (this.#id === null) return photos.create(null, { ...fields });
    const headers: Record<string, string> = this.#tag === null ? {} : { 'If-Match': this.#tag };
    return photos.update({ id: this.#id }, { ...fields }, { headers });
  }

  #refuse(form: HTMLFormElement, error: unknown): void {
    const errors = fieldErrors(error);
    showErrors(form, errors);
    if (Object.keys(errors).length === 0) this.#problem(messageOf(error));
  }

  #problem(text: string | null): void {
    if (this.#form) say(part(this.#form, 'problem', HTMLElement), text);
  }
}

interface Draft {
  readonly title: string;
  readonly description: string;
  readonly palette: string;
  readonly seed: number;
}

type Fields = Readonly<Record<'title' | 'description' | 'palette' | 'seed', string>>;

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

/** A photo with the ETag that its answer came with. */
async function load(id: number): Promise<{ photo: Photo; tag: string | null }> {
  let tag: string | null = null;
  const asked = photos.get({ id, size: 'medium' });
  const unlisten = photos.addListener('getSuccess', (event) => {
    if (event.id === asked) tag = event.headers.get('ETag');
  });
  try {
    const photo = await photos.result(asked);
    if (isPhoto(photo)) return { photo, tag };
    throw new TypeError('The server sent something else than a photo.');
  } finally {
    unlisten();
  }
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

function fieldErrors(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof RestError) || error.failure.code !== 'http') return {};
  const { body } = error.failure;
  const errors = isRecord(body) ? body['errors'] : null;
  if (!isRecord(errors)) return {};
  return Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, String(text)]));
}

function messageOf(error: unknown): string {
  if (!(error instanceof RestError)) return String(error);
  const { failure } = error;
  if (failure.code === 'offline' || failure.code === 'network') {
    return 'There is no network. What you wrote stays here: send it again when you are back.';
  }
  if (failure.code === 'http' && failure.status === 412) {
    return 'Somebody else has changed this photo in the meantime. Open it again to see how, then make your change.';
  }
  return failure.message;
}

function anySeed(): number {
  return Math.floor(Math.random() * 1_000_000);
}
