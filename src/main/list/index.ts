import { List } from './list.ts';

export { ChangeSelectionEvent } from './choices.ts';
export type { ListDelegate } from './source.ts';
export { ListController } from './list-controller.ts';
export type { SelectionMode } from './moves.ts';
export type { ListSource } from './source.ts';
export { List };

List.define();
