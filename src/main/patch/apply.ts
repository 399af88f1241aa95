import type { Patch } from '../../shared/patch.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { changedList } from './list.ts';
import { changedMap } from './map.ts';
import { misfit } from './misfit.ts';
import { isMap, own } from './node.ts';
import { joined, share } from './share.ts';

/**
 * The next revision of `before`, what JSON.parse would make of its body. `before` stays as it is, and what has not
 * changed is in both. Throws a TypeError where the patch was made for another revision: then the whole has to be asked for.
 */
export function applyPatch(before: unknown, patch: Patch): unknown {
  const around: unknown = patch.envelope === null ? before : JSON.parse(patch.envelope);
  return placed(before, around, patch, 0);
}

/** What `around` is with the changed container in its place, `depth` keys along the path. */
function placed(before: unknown, around: unknown, patch: Patch, depth: number): unknown {
  const key = patch.path[depth];
  if (key === undefined) return changed(before, patch.change);
  if (!isMap(before) || !isMap(around) || !Object.hasOwn(before, key) || !Object.hasOwn(around, key)) {
    return misfit(`no ${JSON.stringify(key)} in the path`);
  }
  const inner = placed(own(before, key), own(around, key), patch, depth + 1);
  return joined(before, around, (old, value, name) => (name === key ? inner : share(old, value)));
}

function changed(container: unknown, change: Patch['change']): unknown {
  switch (change?.kind) {
    case undefined:
      return container;
    case 'list':
      return Array.isArray(container) ? changedList(container, change) : misfit('no list');
    case 'map':
      return isMap(container) ? changedMap(container, change) : misfit('no object');
    default:
      return unreachable(change);
  }
}
