import { describe, expect, test, vi } from 'vitest';
import { assigner } from './model-store.ts';

describe('a value is assigned', () => {
  test('to a property', () => {
    const target = { model: 0 };
    assigner(target, 'model')(1);
    expect(target).toEqual({ model: 1 });
  });

  test('to a property that is not there yet', () => {
    const target = {};
    assigner(target, 'model')(1);
    expect(target).toEqual({ model: 1 });
  });

  test('to the end of a dotted path, which is followed anew each time', () => {
    const target = { list: { view: { rows: 0 } } };
    const assign = assigner(target, 'list.view.rows');
    const first = target.list;
    assign(1);
    target.list = { view: { rows: 0 } };
    assign(2);
    expect([first.view.rows, target.list.view.rows]).toEqual([1, 2]);
  });

  test('through an accessor', () => {
    const taken: unknown[] = [];
    const target = {
      set model(value: unknown) {
        taken.push(value);
      },
      setModel: vi.fn<() => void>(),
    };
    assigner(target, 'model')(1);
    expect(taken).toEqual([1]);
    expect(target.setModel).not.toHaveBeenCalled();
  });

  test('through a setter method where there is no such property', () => {
    const target = {
      taken: 0,
      setModel(value: number): void {
        this.taken = value;
      },
    };
    assigner(target, 'model')(1);
    expect(target.taken).toBe(1);
    expect('model' in target).toBe(false);
  });

  test('by a function, whose `this` is the target', () => {
    const target = { seen: [] as unknown[] };
    const assign = assigner(target, function take(this: unknown, value) {
      target.seen.push(this, value);
    });
    assign(1);
    expect(target.seen).toEqual([target, 1]);
  });

  test('to a property of a function', () => {
    const target = Object.assign(() => {}, { options: { model: 0 } });
    assigner(target, 'options.model')(1);
    expect(target.options.model).toBe(1);
  });
});

describe('what cannot be assigned to throws', () => {
  test.each(['', '.', 'a.', '.a', 'a..b'])('as soon as it is bound: %j', (path) => {
    expect(() => assigner({}, path)).toThrow(new TypeError(`'${path}' is no path to a property`));
  });

  test.each([
    [{}, 'list.model', 'list'],
    [{ list: null }, 'list.model', 'list'],
    [{ list: 'text' }, 'list.model', 'list'],
    [{ a: { b: 1 } }, 'a.b.c.d', 'b'],
  ])('when it is assigned to: %o by %s', (target, path, part) => {
    const assign = assigner(target, path);
    expect(() => assign(1)).toThrow(new TypeError(`Cannot assign to '${path}': '${part}' is not an object`));
  });
});
