import { identityOf } from './identity.ts';
import { valueAt } from '../path.ts';
import { isScalar, labelOf } from './label.ts';

/** Where a row says what it shows. */
interface Paths {
  readonly labelPath: string;
  readonly iconPath: string;
}

/** Puts the label of a row, and its icon where it has one, into its item. What others put there gives way. */
export function fill(item: HTMLElement, row: unknown, { labelPath, iconPath }: Paths): void {
  const label = labelOf(row, labelPath);
  if (item instanceof HTMLOptionElement) {
    const identity = identityOf(row);
    item.text = label;
    item.value = isScalar(identity) ? String(identity) : label;
    return;
  }
  const icon = iconPath === '' ? null : valueAt(row, iconPath);
  item.replaceChildren(...(typeof icon === 'string' ? [iconOf(icon)] : []), textOf(label));
}

/** It says nothing that the label does not. */
function iconOf(address: string): HTMLElement {
  const icon = document.createElement('img');
  icon.part.value = 'icon';
  icon.alt = '';
  icon.src = address;
  return icon;
}

function textOf(label: string): HTMLElement {
  const text = document.createElement('span');
  text.part.value = 'label';
  text.textContent = label;
  return text;
}
