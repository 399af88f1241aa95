import { noChange } from 'lit-html';
import { Directive, PartType, directive } from 'lit-html/directive.js';
import type { ElementPart, PartInfo } from 'lit-html/directive.js';
import type { ListDelegate } from './source.ts';
import { identityOf } from './rows.ts';
import { valueAt } from '../path.ts';

/** The properties that give a row's label where no path is set. */
const LABELS = ['title', 'name', 'label'];

/** How rows look. Every change makes a new object, so that every item is filled anew. */
export interface Look {
  readonly labelPath: string;
  readonly iconPath: string;
  readonly delegate: ListDelegate;
}

/** Fills an item, the element of a row, when its row, its index or the look has changed. */
class ItemDirective extends Directive {
  #isConfigured = false;
  #row: unknown;
  #index = -1;
  #look: Look | null = null;

  constructor(part: PartInfo) {
    super(part);
    if (part.type !== PartType.ELEMENT) throw new TypeError('A row is bound to an element');
  }

  override render(_row: unknown, _index: number, _look: Look): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [row, index, look]: [unknown, number, Look]): unknown {
    if (!(element instanceof HTMLElement)) return noChange;
    if (!this.#isConfigured) look.delegate.configureItem?.(element);
    this.#isConfigured = true;
    const isNew = row !== this.#row || look !== this.#look;
    const isMoved = index !== this.#index && look.delegate.bindItem !== undefined;
    if (!isNew && !isMoved) return noChange;
    [this.#row, this.#index, this.#look] = [row, index, look];
    fill(element, row, look);
    look.delegate.bindItem?.(element, row, index);
    return noChange;
  }
}

/** Binds a row to the element whose tag contains this directive. */
export const item: (row: unknown, index: number, look: Look) => unknown = directive(ItemDirective);

interface Paths {
  readonly labelPath: string;
  readonly iconPath: string;
}

/** Puts a row's label and icon into its item, and replaces other contents. */
function fill(element: HTMLElement, row: unknown, { labelPath, iconPath }: Paths): void {
  const label = labelOf(row, labelPath);
  if (element instanceof HTMLOptionElement) {
    const identity = identityOf(row);
    element.text = label;
    element.value = isScalar(identity) ? String(identity) : label;
    return;
  }
  const icon = iconPath === '' ? null : valueAt(row, iconPath);
  element.replaceChildren(...(typeof icon === 'string' ? [iconElement(icon)] : []), labelElement(label));
}

/** The icon repeats the label, so assistive technology skips it. */
function iconElement(address: string): HTMLElement {
  const icon = document.createElement('img');
  icon.part.value = 'icon';
  icon.alt = '';
  icon.src = address;
  return icon;
}

function labelElement(label: string): HTMLElement {
  const text = document.createElement('span');
  text.part.value = 'label';
  text.textContent = label;
  return text;
}

/** A row's label: the value at the path, else its title, name, label or id, else the row itself as text. */
export function labelOf(row: unknown, path: string): string {
  if (path !== '') return textOf(valueAt(row, path));
  const named = LABELS.map((name) => valueAt(row, name)).find(isText);
  return textOf(named ?? identityOf(row));
}

/** The object's own `toString` where it has one, as dates do; otherwise, or where that throws, its JSON. */
function textOfObject(value: object): string {
  const say: unknown = Reflect.get(value, 'toString');
  try {
    if (typeof say === 'function' && say !== Object.prototype.toString)
      return String(Reflect.apply(say, value, []));
  } catch {
    // A member of data may be called toString.
  }
  return JSON.stringify(value);
}

function isScalar(value: unknown): value is string | number | bigint | boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}

function isText(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return textOfObject(value);
  return isScalar(value) ? String(value) : '';
}
