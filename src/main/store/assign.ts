import { isPath } from '../path.ts';

/** Where a bound model goes: a property, a dotted path to one, or a function that takes it. */
export type Target = string | ((value: unknown) => void);

/**
 * Makes the function that hands a value over to its target. A last part for which the object has no property but a
 * setter method (`model`, `setModel`) goes through that.
 * @throws TypeError where the path leads through something that is no object.
 */
export function assigner(target: object, property: Target): (value: unknown) => void {
  if (typeof property === 'function') return (value) => property.call(target, value);
  const path = property.split('.');
  const last = path.pop() ?? '';
  if (!isPath(property)) throw new TypeError(`'${property}' is no path to a property`);
  return (value) => assign(follow(target, path, property), last, value);
}

function follow(target: object, path: readonly string[], property: string): object {
  let object: unknown = target;
  for (const part of path) {
    object = Reflect.get(Object(object), part);
    if (!isObject(object)) throw new TypeError(`Cannot assign to '${property}': '${part}' is not an object`);
  }
  return Object(object);
}

function assign(object: object, name: string, value: unknown): void {
  const setter: unknown = Reflect.get(object, `set${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  if (!(name in object) && typeof setter === 'function') Reflect.apply(setter, object, [value]);
  else Reflect.set(object, name, value);
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
