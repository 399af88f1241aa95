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
  /** The name of the user whose it is. */
  readonly owner: string;
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

/**
 * Where the picture is. Its version makes the address new whenever the picture is, and its owner (`of`) says in whose cache
 * the worker keeps it.
 */
export function pictureOf({ id, version, owner }: Photo, size: 'small' | 'medium' | 'large'): string {
  return `/api/photos/${id}/${size}.svg?of=${owner}&v=${version}`;
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
  return isRecord(value) && typeof value['id'] === 'number' && typeof value['owner'] === 'string';
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
