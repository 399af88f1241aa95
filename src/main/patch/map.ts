import type { MapChange } from '../../shared/patch.ts';
import { misfit } from './misfit.ts';
import { joined, own, share } from './share.ts';
import type { OnNew } from './share.ts';

export function changedMap(map: object, { removed, set }: MapChange, onNew?: OnNew): object {
  for (const key of removed) if (!Object.hasOwn(map, key)) misfit(`no ${JSON.stringify(key)} to remove`);
  const news: object = JSON.parse(set);
  const adopted = joined(null, news, (key, value) => share(own(map, key), value, onNew));
  const isSame = Object.keys(news).every((key) => Object.is(own(map, key), own(adopted, key)));
  if (isSame && removed.length === 0) return map;
  // Spreading defines members, where assigning would call the setter of `__proto__`.
  const result = { ...map, ...adopted };
  for (const key of removed) Reflect.deleteProperty(result, key);
  onNew?.(result);
  return result;
}
