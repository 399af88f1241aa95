import type { ActionName, ActionResponse } from './action-method.ts';
import type { Description } from './action.ts';
import type { NoticeType } from './notice.ts';

/** What is told of described actions: `getSuccess` of `get` alone, `success` of all. */
export type EventName<D extends Description> =
  string extends ActionName<D> ? string : NoticeType | `${ActionName<D>}${Capitalize<NoticeType>}`;

/**
 * The response that the event of that name brings: of a success what the action answers with, of an error whatever
 * came, if anything did; before there is none.
 */
export type EventResponse<D extends Description, Name extends string> =
  string extends ActionName<D>
    ? unknown
    : Name extends 'success'
      ? ActionResponse<D[ActionName<D>]>
      : Name extends `${infer Action extends ActionName<D>}Success`
        ? ActionResponse<D[Action]>
        : Name extends 'error' | `${ActionName<D>}Error`
          ? unknown
          : null;
