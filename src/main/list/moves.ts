/** How many rows a list lets be selected. */
export type SelectionMode = 'none' | 'single' | 'multiple';

/** @throws RangeError where it is no mode. */
export function assertMode(mode: string): asserts mode is SelectionMode {
  if (mode === 'none' || mode === 'single' || mode === 'multiple') return;
  throw new RangeError(`selectionMode is 'none', 'single' or 'multiple', not '${mode}'`);
}

/** What a move does to the selection. `range` reaches from where the last move without Shift went. */
export type Choice = 'keep' | 'only' | 'toggle' | 'range' | 'all';

/** Makes a row the active one and chooses. */
export interface Move {
  readonly to: number;
  readonly choice: Choice;
}

/** Modifiers, as events of keys and pointers have them. */
export interface Modifiers {
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

export interface Keystroke extends Modifiers {
  readonly key: string;
  readonly altKey: boolean;
}

/** Where a list is when a key comes. */
export interface Stand {
  readonly mode: SelectionMode;
  /** -1 where no row is active. */
  readonly active: number;
  readonly count: number;
  /** Rows that a page is. */
  readonly page: number;
}

/** What a key does, after the listbox pattern of the ARIA Authoring Practices; null where it is not for the list. */
export function moveOfKey(stroke: Keystroke, stand: Stand): Move | null {
  const { mode, active, count } = stand;
  const command = stroke.ctrlKey || stroke.metaKey;
  if (mode === 'none' || count === 0 || stroke.altKey) return null;
  if (command && stroke.key.toLowerCase() === 'a') {
    return mode === 'multiple' ? { to: active, choice: 'all' } : null;
  }
  if (stroke.metaKey) return null;
  if (stroke.key === ' ' || stroke.key === 'Enter') return active < 0 ? null : press(stroke, stand);
  const to = destination(stroke.key, stand);
  if (to === null) return null;
  if (mode === 'single') return { to, choice: 'only' };
  return { to, choice: stroke.shiftKey ? 'range' : 'keep' };
}

/** Characters find rows by their label only where nothing else is meant by them. */
export function isForTypeAhead({ ctrlKey, metaKey, altKey }: Keystroke, { mode, count }: Stand): boolean {
  return mode !== 'none' && count > 0 && !ctrlKey && !metaKey && !altKey;
}

/** Where typing goes: it selects where arrows do. */
export function moveOfText(to: number, { mode }: Stand): Move | null {
  return to < 0 ? null : { to, choice: mode === 'single' ? 'only' : 'keep' };
}

/** What a click does; a finger has no keys to hold, so it toggles. */
export function moveOfClick(
  to: number,
  mode: SelectionMode,
  { shiftKey, ctrlKey, metaKey }: Modifiers,
  isMouse: boolean,
): Move | null {
  if (mode === 'none') return null;
  if (mode === 'single') return { to, choice: 'only' };
  if (shiftKey) return { to, choice: 'range' };
  return { to, choice: ctrlKey || metaKey || !isMouse ? 'toggle' : 'only' };
}

function press({ shiftKey }: Keystroke, { mode, active }: Stand): Move {
  if (mode === 'single') return { to: active, choice: 'only' };
  return { to: active, choice: shiftKey ? 'range' : 'toggle' };
}

function destination(key: string, { active, count, page }: Stand): number | null {
  const to = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  }[key];
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to));
}
