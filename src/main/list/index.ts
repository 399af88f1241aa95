export { ChangeSelectionEvent } from './change-selection-event.ts';
export type { ListDelegate } from './delegate.ts';
export { List } from './list.ts';
export { ListController } from './list-controller.ts';
export type { SelectionMode } from './moves.ts';
export type { ListSource } from './source.ts';
