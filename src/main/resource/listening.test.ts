import { getEventListeners, setMaxListeners } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Listening } from './listening.ts';

type Options = AddEventListenerOptions | boolean | undefined;

/** A real EventTarget with the model beside it, as a resource has them. */
class Both extends EventTarget {
  readonly listening: Listening = new Listening();
  readonly controllers: readonly AbortController[] = [new AbortController(), new AbortController()];

  constructor() {
    super();
    setMaxListeners(0, this, ...this.controllers.map(({ signal }) => signal));
  }

  add(type: string, listener: EventListenerOrEventListenerObject | null, options?: Options): void {
    const companion = this.listening.add(type, listener, options);
    if (companion) this.addEventListener(type, companion, options);
    this.addEventListener(type, listener, options);
  }

  remove(type: string, listener: EventListenerOrEventListenerObject | null, options?: Options): void {
    // Node does not know that `true` alone means the capture phase.
    const real = options === true ? { capture: true } : options;
    this.removeEventListener(type, listener, real);
    const companion = this.listening.remove(type, listener, options);
    if (companion) this.removeEventListener(type, companion, real);
  }

  dispatch(type: string): void {
    this.dispatchEvent(new Event(type));
  }

  /** Whether anybody listens: what the model says, and what is true. */
  heard(type: string): readonly [model: boolean, real: boolean] {
    return [this.listening.has(type), getEventListeners(this, type).length > 0];
  }
}

const TYPES = ['success', 'error'];
const LISTENERS: readonly EventListenerOrEventListenerObject[] = [
  (): void => {},
  { handleEvent: (): void => {} },
];

type Step =
  | {
      readonly kind: 'add' | 'remove';
      readonly type: string;
      readonly nth: number;
      readonly options: Options;
    }
  | {
      readonly kind: 'add with signal';
      readonly type: string;
      readonly once: boolean;
      readonly signal: number;
    }
  | { readonly kind: 'abort'; readonly signal: number }
  | { readonly kind: 'dispatch'; readonly type: string };

const type = fc.constantFrom(...TYPES);
const nth = fc.nat({ max: LISTENERS.length - 1 });
const signal = fc.nat({ max: 1 });
const options: fc.Arbitrary<Options> = fc.oneof(
  fc.constantFrom(undefined, true, false),
  fc.record({ once: fc.boolean(), capture: fc.boolean() }, { requiredKeys: [] }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('add', 'remove'), type, nth, options }),
  fc.record({ kind: fc.constant('add with signal'), type, once: fc.boolean(), signal }),
  fc.record({ kind: fc.constant('abort'), signal }),
  fc.record({ kind: fc.constant('dispatch'), type }),
);

function perform(both: Both, each: Step): void {
  switch (each.kind) {
    case 'add':
      return both.add(each.type, LISTENERS[each.nth] ?? null, each.options);
    case 'remove':
      return both.remove(each.type, LISTENERS[each.nth] ?? null, each.options);
    case 'add with signal': {
      const { once } = each;
      const listened = both.controllers[each.signal]?.signal;
      // Each time another function: Node lets a signal remove a later listening of the same, browsers do not.
      return both.add(each.type, () => {}, listened ? { once, signal: listened } : { once });
    }
    case 'abort':
      return both.controllers[each.signal]?.abort();
    default:
      return both.dispatch(each.type);
  }
}

test('after whatever was added, removed, aborted and dispatched it says what an EventTarget would', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
      const both = new Both();
      for (const each of steps) {
        perform(both, each);
        for (const known of TYPES) expect(both.heard(known)[0]).toBe(both.heard(known)[1]);
      }
    }),
    { numRuns: 500 },
  );
});

test('it says so too after whatever listeners did while an event was dispatched', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.array(step)), { maxLength: 5 }), (acts) => {
      const both = new Both();
      for (const [once, stops, steps] of acts) {
        const act = (event: Event): void => {
          if (stops) event.stopImmediatePropagation();
          // Who listens for one event may dispatch another: it does so once.
          for (const each of steps) if (once || each.kind !== 'dispatch') perform(both, each);
        };
        both.add('success', act, { once });
      }
      for (let round = 0; round < 2; round += 1) {
        both.dispatch('success');
        for (const known of TYPES) expect(both.heard(known)[0]).toBe(both.heard(known)[1]);
      }
    }),
    { numRuns: 500 },
  );
});

test('a function listens once in each phase', () => {
  const both = new Both();
  const [listener = null] = LISTENERS;
  both.add('success', listener, true);
  both.add('success', listener, false);
  both.add('success', listener);
  both.remove('success', listener);
  expect(both.heard('success')).toEqual([true, true]);
  both.remove('success', listener, { capture: true });
  expect(both.heard('success')).toEqual([false, false]);
});

describe('a listener for one event', () => {
  test('that adds itself again is heard of', () => {
    const both = new Both();
    const again = (): void => both.add('success', again, { once: true });
    both.add('success', again, { once: true });
    both.dispatch('success');
    expect(both.heard('success')).toEqual([true, true]);
  });

  test('that adds another is followed by that', () => {
    const both = new Both();
    both.add('success', () => both.add('success', () => {}, { once: true }), { once: true });
    both.dispatch('success');
    expect(both.heard('success')).toEqual([true, true]);
    both.dispatch('success');
    expect(both.heard('success')).toEqual([false, false]);
  });

  test('is gone although it keeps the rest from hearing it, and may add itself again', () => {
    const both = new Both();
    let again = 2;
    const stop = (event: Event): void => {
      event.stopImmediatePropagation();
      again -= 1;
      if (again > 0) both.add('success', stop, { once: true });
    };
    both.add('success', stop, { once: true });
    both.dispatch('success');
    expect(both.heard('success')).toEqual([true, true]);
    both.dispatch('success');
    expect(both.heard('success')).toEqual([false, false]);
  });

  test('that is removed leaves nothing behind', () => {
    const both = new Both();
    const [listener = null] = LISTENERS;
    both.add('success', listener, { once: true, capture: true });
    both.remove('success', listener);
    expect(both.heard('success')).toEqual([true, true]);
    both.remove('success', listener, true);
    expect(both.heard('success')).toEqual([false, false]);
  });

  test('that was kept from hearing it still waits', () => {
    const both = new Both();
    both.add('success', (event) => event.stopImmediatePropagation(), { once: true });
    both.add('success', () => {}, { once: true });
    both.dispatch('success');
    expect(both.heard('success')).toEqual([true, true]);
    both.dispatch('success');
    expect(both.heard('success')).toEqual([false, false]);
  });
});

test('a signal ends the listening that it was given for, not a later one of the same function', () => {
  const listening = new Listening();
  const controller = new AbortController();
  const listener = LISTENERS[0];
  listening.add('success', listener, { signal: controller.signal });
  listening.remove('success', listener, false);
  listening.add('success', listener, undefined);
  controller.abort();
  expect(listening.has('success')).toBe(true);
});
