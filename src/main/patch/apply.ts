import type { Patch } from '../../shared/patch.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { changedList } from './list.ts';
import { changedMap } from './map.ts';
import { misfit } from './misfit.ts';
import { isMap, joined, own, share } from './share.ts';
import type { OnNew } from './share.ts';

/**
 * The next revision of `before`, what JSON.parse would make of its body. `before` stays as it is, and what has not
 * changed is in both. `onNew` is told every object that is not in `before`. Throws a TypeError where the patch was made
 * for another revision: then the whole has to be asked for.
 */
export function applyPatch(before: unknown, patch: Patch, onNew?: OnNew): unknown {
  const around: unknown = patch.envelope === null ? before : JSON.parse(patch.envelope);
  return placed(before, around, patch, 0, onNew);
}

/** What `around` is with the changed container in its place, `depth` keys along the path. */
function placed(before: unknown, around: unknown, patch: Patch, depth: number, onNew?: OnNew): unknown {
  const key = patch.path[depth];
  if (key === undefined) return changed(before, patch.change, onNew);
  if (!isMap(before) || !isMap(around) || !Object.hasOwn(before, key) || !Object.hasOwn(around, key)) {
    return misfit(`no ${JSON.stringify(key)} in the path`);
  }
  const inner = placed(own(before, key), own(around, key), patch, depth + 1, onNew);
  const adopt = (name: string, value: unknown): unknown =>
    name === key ? inner : share(own(before, name), value, onNew);
  return joined(before, { ...around }, adopt, onNew);
}

function changed(container: unknown, change: Patch['change'], onNew?: OnNew): unknown {
  switch (change?.kind) {
    case undefined:
      return container;
    case 'list':
      return Array.isArray(container) ? changedList(container, change, onNew) : misfit('no list');
    case 'map':
      return isMap(container) ? changedMap(container, change, onNew) : misfit('no object');
    default:
      return unreachable(change);
  }
}
