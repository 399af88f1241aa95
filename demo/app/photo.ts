/** The server's number; before the server has given one, the temporary id, which is a text. */
export type PhotoId = number | string;

/** A row of the collection as the server sends it, or as it will be once a change of it has arrived there. */
export interface Photo {
  readonly id: PhotoId;
  readonly title: string;
  readonly description: string;
  readonly palette: string;
  readonly seed: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly version: number;
  /** The name of the user whose it is. */
  readonly owner: string;
  /** True for one that the server does not have like this yet. */
  readonly isDraft?: boolean;
}

/** What makes a picture. */
export type Exposure = Readonly<Record<'palette' | 'seed', string | number>>;

/** The newest rows; `cursor` counts the changes of one database, which `origin` names. */
export interface Listing {
  readonly items: readonly Photo[];
  readonly total: number;
  readonly cursor: number;
  readonly origin: string;
  /** What a long-poll tells beside: the ids by what happened to them. */
  readonly changed?: Changed;
}

export interface Changed {
  readonly created: readonly PhotoId[];
  readonly updated: readonly PhotoId[];
  readonly deleted: readonly PhotoId[];
}

/**
 * Where the picture is. Its version makes the address new whenever the picture is, and its owner (`of`) says in whose cache
 * the worker keeps it. The server has no picture of a draft.
 */
export function pictureOf(photo: Photo, size: 'small' | 'medium' | 'large'): string {
  const { id, version, owner, isDraft } = photo;
  return isDraft ? previewOf(photo) : `/api/photos/${id}/${size}.svg?of=${owner}&v=${version}`;
}

/** A picture of a photo to be: the app's own worker paints it, with or without a network. */
export function previewOf({ palette, seed }: Exposure): string {
  return `/api/preview.svg?${new URLSearchParams({ palette: String(palette), seed: String(seed) }).toString()}`;
}

/** The id in a text. */
export function readId(text: string): PhotoId {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** True for the id of a photo that the server has not numbered yet. */
export function isTemporary(id: PhotoId): id is string {
  return typeof id === 'string';
}

/** True where a search finds it, as the server searches. */
export function isFoundBy(
  query: string,
  { title, description }: Pick<Photo, 'title' | 'description'>,
): boolean {
  return [title, description].some((text) => text.toLowerCase().includes(query.toLowerCase()));
}

/** The number on the film's edge. */
export function frameNumber(id: PhotoId): string {
  return isTemporary(id) ? 'new' : String(id).padStart(2, '0');
}

/** What arrives is looked at once, here; behind it the types hold. */
export function isListing(value: unknown): value is Listing {
  return isRecord(value) && Array.isArray(value['items']) && value['items'].every(isPhoto);
}

export function isPhoto(value: unknown): value is Photo {
  return (
    isRecord(value) && ['number', 'string'].includes(typeof value['id']) && typeof value['owner'] === 'string'
  );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
