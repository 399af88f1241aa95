/** How many rows the user can select in a list. */
export type SelectionMode = 'none' | 'single' | 'multiple';

/** @throws RangeError where it is not a mode. */
export function assertMode(mode: string): asserts mode is SelectionMode {
  if (mode === 'none' || mode === 'single' || mode === 'multiple') return;
  throw new RangeError(`selectionMode is 'none', 'single' or 'multiple', not '${mode}'`);
}

/** The effect of a move on the selection. `range` begins where the last move without Shift went. */
export type Choice = 'keep' | 'only' | 'toggle' | 'range' | 'all';

export interface Move {
  readonly to: number;
  readonly choice: Choice;
}

export interface Modifiers {
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

export interface Keystroke extends Modifiers {
  readonly key: string;
  readonly altKey: boolean;
}

export interface Stand {
  readonly mode: SelectionMode;
  /** -1 where no row is active. */
  readonly active: number;
  readonly count: number;
  /** Rows of a page. */
  readonly page: number;
}

/** The effect of a key, by the listbox pattern of the ARIA Authoring Practices; null where it is not for the list. */
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

/** Characters find rows by label only where they have no other meaning. */
export function isForTypeAhead({ ctrlKey, metaKey, altKey }: Keystroke, { mode, count }: Stand): boolean {
  return mode !== 'none' && count > 0 && !ctrlKey && !metaKey && !altKey;
}

/** Typing selects wherever arrow keys do. */
export function moveOfText(to: number, { mode }: Stand): Move | null {
  return to < 0 ? null : { to, choice: mode === 'single' ? 'only' : 'keep' };
}

/** The effect of a click. A finger cannot hold modifier keys, so it toggles. */
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
