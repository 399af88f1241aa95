/** A row of the collection as the server sends it. */
export interface Photo {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly palette: string;
  readonly seed: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly version: number;
}

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
  readonly created: readonly number[];
  readonly updated: readonly number[];
  readonly deleted: readonly number[];
}

/** Where the picture is; its version makes the address new whenever the picture is. */
export function pictureOf(photo: Pick<Photo, 'id' | 'version'>, size: 'small' | 'medium' | 'large'): string {
  return `/api/photos/${photo.id}/${size}.svg?v=${photo.version}`;
}

/** The number on the film's edge. */
export function frameNumber(id: number): string {
  return String(id).padStart(2, '0');
}

/** What arrives is looked at once, here; behind it the types hold. */
export function isListing(value: unknown): value is Listing {
  return isRecord(value) && Array.isArray(value['items']) && value['items'].every(isPhoto);
}

export function isPhoto(value: unknown): value is Photo {
  return isRecord(value) && typeof value['id'] === 'number' && typeof value['title'] === 'string';
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
