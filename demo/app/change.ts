import { isRecord } from './photo.ts';

/** One entry of the server's change log. */
export interface Change {
  /** Its number there. */
  readonly n: number;
  readonly kind: ChangeKind;
  /** The photo's id. */
  readonly id: number;
  /** As it was then. */
  readonly title: string;
  readonly at: string;
}

export type ChangeKind = 'created' | 'updated' | 'deleted';

/** Changes next to one another, the newest last; `origin` names the database whose log numbers them. */
export interface News {
  readonly origin: string;
  readonly changes: readonly Change[];
}

/** What arrives is looked at once, here; behind it the types hold. */
export function isNews(value: unknown): value is News {
  return isRecord(value) && Array.isArray(value['changes']) && value['changes'].every(isChange);
}

function isChange(value: unknown): value is Change {
  return isRecord(value) && typeof value['n'] === 'number' && typeof value['title'] === 'string';
}
