import { noChange } from 'lit-html';
import { Directive, PartType, directive } from 'lit-html/directive.js';
import type { ElementPart, PartInfo } from 'lit-html/directive.js';
import { fill } from './content.ts';
import type { ListDelegate } from './delegate.ts';

/** How rows look; another object where anything of it has changed, so that every item is filled anew. */
export interface Look {
  readonly labelPath: string;
  readonly iconPath: string;
  readonly delegate: ListDelegate;
}

/** Fills an item, the element of a row, when its row, its place or the look has changed. */
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

/** Binds a row to the element in whose tag it stands. */
export const item: (row: unknown, index: number, look: Look) => unknown = directive(ItemDirective);
