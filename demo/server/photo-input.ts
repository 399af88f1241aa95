import { findPalette, PALETTES } from './picture/palettes.ts';
import type { Page, PhotoFields } from './photos.ts';
import { Problem } from './problem.ts';

const TITLE_LENGTH = 80;
const DESCRIPTION_LENGTH = 500;
const LARGEST_PAGE = 200;
const LARGEST_INTEGER = 2_147_483_647;

/** The fields of a photo as they came, checked. `seed` picks the picture; without one it is left to chance. */
export function readPhotoFields(
  fields: Readonly<Record<string, unknown>>,
  defaults: Partial<PhotoFields> = {},
): PhotoFields {
  const errors: Record<string, string> = {};
  const given = { ...defaults, ...fields };
  const title = text(given['title'], 'title', TITLE_LENGTH, errors);
  const description = text(given['description'], 'description', DESCRIPTION_LENGTH, errors);
  const palette = text(given['palette'] ?? 'dawn', 'palette', 20, errors);
  const seed = readSeed(given['seed'], errors);
  if (title === '' && !errors['title']) errors['title'] = 'A photo needs a title.';
  if (!errors['palette'] && !findPalette(palette)) {
    errors['palette'] = `Choose one of ${PALETTES.map(({ name }) => name).join(', ')}.`;
  }
  if (Object.keys(errors).length > 0) {
    throw new Problem(400, `The photo cannot be stored: ${Object.values(errors).join(' ')}`, { errors });
  }
  return { title, description, palette, seed };
}

export function readPage(search: URLSearchParams): Page {
  return {
    page: whole(search, 'page', { fallback: 1, low: 1, high: 100_000 }),
    size: whole(search, 'size', { fallback: 48, low: 1, high: LARGEST_PAGE }),
    query: (search.get('q') ?? '').trim().slice(0, 100),
  };
}

export function readId(value: string): number {
  const id = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (id < 1 || id > LARGEST_INTEGER) throw new Problem(400, `${value} is not the number of a photo.`);
  return id;
}

/** A whole number of the query within its bounds. */
export function whole(
  search: URLSearchParams,
  name: string,
  { fallback, low, high }: { fallback: number; low: number; high: number },
): number {
  const value = search.get(name);
  if (value === null || value === '') return fallback;
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= low && number <= high) return number;
  throw new Problem(400, `${name} has to be a whole number from ${low} to ${high}.`);
}

function text(value: unknown, name: string, length: number, errors: Record<string, string>): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') {
    errors[name] = `The ${name} has to be text.`;
    return '';
  }
  // PostgreSQL cannot store NUL in text.
  const clean = value.replaceAll('\0', '').trim();
  if (clean.length > length) errors[name] = `The ${name} may have ${length} characters.`;
  return clean;
}

function readSeed(value: unknown, errors: Record<string, string>): number {
  if (value === undefined || value === null || value === '') return Math.floor(Math.random() * 1_000_000);
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= LARGEST_INTEGER) {
    return number;
  }
  errors['seed'] = 'The seed has to be a whole number.';
  return 0;
}
