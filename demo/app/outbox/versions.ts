import { fill, find, part } from '../element.ts';
import type { Palettes } from '../palettes.ts';
import { pictureOf, previewOf } from '../photo.ts';
import type { Photo } from '../photo.ts';
import type { Fields } from '../shown-at-once.ts';
import type { WaitingWrite } from './waiting-write.ts';

const NAMES = { title: 'Title', description: 'Note', palette: 'Palette', seed: 'Picture' } as const;

type Field = keyof typeof NAMES;

const FIELDS: readonly Field[] = ['title', 'description', 'palette', 'seed'];

/** The picture of a change: as it is to be, or as it is where it is to be deleted. */
export function paintPicture(
  place: HTMLElement,
  fields: Fields | null,
  known: Photo | null,
  palettes: Palettes,
): void {
  const picture = find('img', HTMLImageElement, place);
  const isSame = !fields || (known && fields.palette === known.palette && fields.seed === String(known.seed));
  const source = isSame ? known && pictureOf(known, 'small') : previewOf(fields);
  // A picture that cannot be had leaves its colours.
  const palette = fields?.palette ?? known?.palette ?? '';
  place.style.setProperty('--tones', tonesOf(palettes.coloursOf(palette)));
  if (source === null) picture.removeAttribute('src');
  else if (picture.getAttribute('src') !== source) picture.setAttribute('src', source);
}

/** What an edit changes, as a list: field, before, after. A conflict is shown as two versions instead. */
export function paintChanges(
  list: HTMLDListElement,
  { kind, fields, entry }: WaitingWrite,
  known: Photo | null,
  palettes: Palettes,
): void {
  const isShown = kind === 'update' && fields !== null && known !== null && entry.state !== 'conflict';
  const changed = isShown ? FIELDS.filter((field) => fields[field] !== String(known[field])) : [];
  list.hidden = changed.length === 0;
  const rows = changed.map((field) => {
    const words = known && fields && changeOf(field, known, fields, palettes);
    return [NAMES[field], words ?? ''] as const;
  });
  const text = JSON.stringify(rows);
  if (list.dataset['text'] === text) return;
  list.dataset['text'] = text;
  list.replaceChildren(...rows.map(([name, words]) => rowOf(name, words, false)));
}

/** The server's version and ours, side by side; where they differ is marked. */
export function paintVersions(
  place: HTMLElement,
  { fields }: WaitingWrite,
  known: Photo | null,
  palettes: Palettes,
): void {
  const theirs = known && asFields(known);
  const differs = (field: Field): boolean => fields?.[field] !== theirs?.[field];
  for (const [name, version] of [
    ['theirs-version', theirs],
    ['mine-version', fields],
  ] as const) {
    const column = part(place, name, HTMLElement);
    const list = find('dl', HTMLDListElement, column);
    paintPicture(find('.version-picture', HTMLElement, column), version, known, palettes);
    const rows = version
      ? FIELDS.filter((field) => field !== 'seed').map((field) =>
          rowOf(NAMES[field], wordsOf(field, version[field], palettes), fields !== null && differs(field)),
        )
      : [];
    list.replaceChildren(...rows);
  }
  place.dataset['kind'] = fields ? 'update' : 'remove';
  fill(place, {
    mine: fields ? 'Keep mine' : 'Delete it',
    theirs: fields ? 'Keep the server’s' : 'Keep the photo',
    mineNote: fields ? '' : 'The photo is deleted.',
  });
}

function changeOf(field: Field, known: Photo, fields: Fields, palettes: Palettes): string {
  if (field === 'seed') return 'another exposure';
  const [before, after] = [asFields(known)[field], fields[field]].map((value) =>
    wordsOf(field, value, palettes),
  );
  return `${before} → ${after}`;
}

function wordsOf(field: Field, value: string, palettes: Palettes): string {
  if (field === 'palette') return palettes.labelOf(value);
  return value === '' ? '(empty)' : value;
}

function asFields({ title, description, palette, seed }: Photo): Fields {
  return { title, description, palette, seed: String(seed) };
}

function rowOf(name: string, words: string, differs: boolean): HTMLElement {
  const row = document.createElement('div');
  const [term, text] = [document.createElement('dt'), document.createElement('dd')];
  term.textContent = name;
  text.textContent = words;
  if (differs) row.className = 'differs';
  row.append(term, text);
  return row;
}

function tonesOf(colours: readonly string[]): string {
  return colours.length > 1 ? `linear-gradient(${colours.join(', ')})` : 'none';
}
