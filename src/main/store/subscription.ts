import { unlessProduction } from '../development.ts';
import { isRecord } from '../../shared/shape.ts';
import { assertIs } from '../resource/option-checks.ts';
import type { Rule } from '../resource/option-checks.ts';

/** Hears the model: a function, or an observer as RxJS has it. */
export type Observer<Model = unknown> = ((model: Model | null) => void) | { next(model: Model | null): void };

/** Ends a subscription; it is called, or its `unsubscribe` is. */
export type Unsubscribe = (() => void) & { readonly unsubscribe: () => void };

/** What is called with each model. */
export function tellerOf<Model>(observer: Observer<Model>): (model: Model | null) => void {
  unlessProduction(() => assertIs('What subscribes', observer, anObserver()));
  return typeof observer === 'function' ? observer : (model) => observer.next(model);
}

/**
 * Calls `tell` now and at every event of the type, as long as `isOpen`; the returned function ends that. What throws
 * at once is not called again.
 */
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
