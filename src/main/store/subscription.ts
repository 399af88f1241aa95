import { unlessProduction } from '../development.ts';
import { isRecord } from '../../shared/shape.ts';
import { assertIs } from '../resource/option-checks.ts';
import type { Rule } from '../resource/option-checks.ts';

/** Gets the model: a function, or an observer as in RxJS. */
export type Observer<Model = unknown> = ((model: Model | null) => void) | { next(model: Model | null): void };

/** Ends a subscription: call it, or its `unsubscribe`. */
export type Unsubscribe = (() => void) & { readonly unsubscribe: () => void };

export function tellerOf<Model>(observer: Observer<Model>): (model: Model | null) => void {
  unlessProduction(() => assertIs('What subscribes', observer, anObserver()));
  return typeof observer === 'function' ? observer : (model) => observer.next(model);
}

/** Calls `tell` now and at each event while `isOpen`; the result ends that, and so does a throw of the first call. */
export function follow(
  target: EventTarget,
  type: string,
  isOpen: () => boolean,
  tell: () => void,
): Unsubscribe {
  const listener = (): void => {
    if (isOpen()) tell();
  };
  const unsubscribe = (): void => target.removeEventListener(type, listener);
  target.addEventListener(type, listener);
  try {
    tell();
  } catch (error) {
    unsubscribe();
    throw error;
  }
  return Object.assign(() => unsubscribe(), { unsubscribe });
}

function anObserver(): Rule {
  return [
    'a function, or an object with a function next',
    (value) => typeof value === 'function' || (isRecord(value) && typeof value['next'] === 'function'),
  ];
}
