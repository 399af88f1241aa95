import type { ChangeModelEvent } from './change-model-event.ts';
import type { PartStore } from './part-store.ts';

/**
 * Some rows of a store's list, as a store of their own: `model` is these rows, null before the first. Dispatches
 * `changeModel` when a row has changed or others are shown, and `changeStatus` when its `status` has, `total`, `start`
 * and `count` included.
 */
export interface StoreWindow<Row = unknown> extends PartStore<Row> {
  addEventListener(
    type: 'changeModel',
    listener: ((event: ChangeModelEvent<readonly Row[]>) => void) | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: 'changeStatus',
    listener: ((event: Event) => void) | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
}
