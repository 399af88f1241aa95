import { isPlainObject } from '../resource/params.ts';

/**
 * Makes a text of a value, the same for values that are equal by their members, in whatever order these come. Functions
 * and instances of classes are equal to themselves alone; a member that is undefined is as none.
 */
export class Sameness {
  readonly #numbers = new WeakMap<object, number>();
  #last = 0;

  textOf(value: unknown): string {
    return JSON.stringify(this.#plain(value));
  }

  #plain(value: unknown): unknown {
    if (typeof value === 'bigint') return ['bigint', String(value)];
    if (typeof value === 'number' && !Number.isFinite(value)) return ['number', String(value)];
    if (value instanceof Date) return ['date', value.getTime()];
    if (Array.isArray(value)) return ['list', ...value.map((each) => this.#plain(each))];
    if (isPlainObject(value)) return this.#members(value);
    if (typeof value === 'function' || (typeof value === 'object' && value !== null))
      return ['object', this.#numberOf(value)];
    return value;
  }

  #members(value: Record<string, unknown>): unknown {
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    return names.toSorted().map((name) => [name, this.#plain(value[name])]);
  }

  #numberOf(value: object): number {
    const number = this.#numbers.get(value) ?? (this.#last += 1);
    this.#numbers.set(value, number);
    return number;
  }
}
