import { List } from './list.ts';

export { ChangeSelectionEvent } from './change-selection-event.ts';
export type { ListDelegate } from './delegate.ts';
export { ListController } from './list-controller.ts';
export type { SelectionMode } from './moves.ts';
export type { ListSource } from './source.ts';
export { List };

List.define();
