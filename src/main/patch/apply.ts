import type { Patch, MapChange } from '../../shared/patch.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { changedList } from './list.ts';
import { misfit, isMap, own } from './node.ts';
import { joined, share } from './heirs.ts';
import type { Members } from './node.ts';

/**
 * The next revision of `before`, as JSON.parse would make it of its body. `before` does not change; unchanged parts are
 * in both. Throws a TypeError where the patch was made for another revision: then ask for the whole.
 */
export function applyPatch(before: unknown, { path, envelope, change }: Patch): unknown {
  const around: unknown = envelope === null ? before : JSON.parse(envelope);
  return placed(before, around, path, (container) => changed(container, change));
}

/** `around`, with what `make` returns for the container at the end of the path, sharing equal parts with `before`. */
export function placed(
  before: unknown,
  around: unknown,
  [key, ...path]: readonly string[],
  make: (container: unknown) => unknown,
): unknown {
  if (key === undefined) return make(before);
  if (!isMap(around) || !Object.hasOwn(around, key)) return misfit(`no ${JSON.stringify(key)}`);
  const map = isMap(before) ? before : {};
  const inner = placed(own(map, key), around[key], path, make);
  return joined(map, around, (old, value, name) => (name === key ? inner : share(old, value)));
}

function changed(container: unknown, change: Patch['change']): unknown {
  switch (change?.kind) {
    case undefined:
      return container === undefined ? misfit('no container') : container;
    case 'list':
      return Array.isArray(container) ? changedList(container, change) : misfit('no list');
    case 'map':
      return isMap(container) ? changedMap(container, change) : misfit('no object');
    default:
      return unreachable(change);
  }
}

function changedMap(map: Members, { removed, set }: MapChange): Members {
  for (const key of removed) if (!Object.hasOwn(map, key)) misfit(`no ${JSON.stringify(key)}`);
  const news: Members = JSON.parse(set);
  let isSame = removed.length === 0;
  for (const [key, value] of Object.entries(news)) {
    const old = own(map, key);
    news[key] = share(old, value);
    isSame &&= Object.is(old, news[key]);
  }
  if (isSame) return map;
  // Spreading defines members; assigning would call the setter of `__proto__`.
  const result = { ...map, ...news };
  for (const key of removed) Reflect.deleteProperty(result, key);
  return result;
}
