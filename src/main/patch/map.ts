import type { MapChange } from '../../shared/patch.ts';
import { misfit } from './misfit.ts';
import { own } from './node.ts';
import type { Members } from './node.ts';
import { share } from './share.ts';

export function changedMap(map: Members, { removed, set }: MapChange): Members {
  for (const key of removed) if (!Object.hasOwn(map, key)) misfit(`no ${JSON.stringify(key)} to remove`);
  const news: Members = JSON.parse(set);
  let isSame = removed.length === 0;
  for (const [key, value] of Object.entries(news)) {
    const old = own(map, key);
    news[key] = share(old, value);
    isSame &&= Object.is(old, news[key]);
  }
  if (isSame) return map;
  // Spreading defines members, where assigning would call the setter of `__proto__`.
  const result = { ...map, ...news };
  for (const key of removed) Reflect.deleteProperty(result, key);
  return result;
}
