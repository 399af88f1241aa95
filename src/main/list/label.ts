import { valueAt } from '../path.ts';
import { identityOf } from './identity.ts';

/** What a row shows where no path says it. */
const LABELS = ['title', 'name', 'label'];

/** The text of a row: what lies at the path, else its title, name, label or id, else the row itself as text. */
export function labelOf(row: unknown, path: string): string {
  if (path !== '') return textOf(valueAt(row, path));
  const named = LABELS.map((name) => valueAt(row, name)).find(isText);
  return textOf(named ?? identityOf(row));
}

/** What it says of itself where it does, as dates do. */
function textOfObject(value: object): string {
  const say: unknown = Reflect.get(value, 'toString');
  if (typeof say !== 'function' || say === Object.prototype.toString) return JSON.stringify(value);
  return String(Reflect.apply(say, value, []));
}

export function isScalar(value: unknown): value is string | number | bigint | boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}

function isText(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return textOfObject(value);
  return isScalar(value) ? String(value) : '';
}
