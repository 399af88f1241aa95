type Next<T> = (each: T) => readonly T[];

/**
 * Those that wait for themselves, directly or by way of others. `next` says for which an element waits. Each element is looked at a
 * few times, however long the ways are (Kosaraju's algorithm for strongly connected components).
 */
export function inCircles<T>(all: readonly T[], next: Next<T>): ReadonlySet<T> {
  const found = new Set<T>();
  const seen = new Set<T>();
  const before = turnedAround(all, next);
  for (const each of afterTheirNext(all, next).toReversed()) {
    const group = reachedFrom(each, before, seen);
    if (group.length > 1 || next(each).includes(each)) for (const member of group) found.add(member);
  }
  return found;
}

/** Which elements wait for an element. */
function turnedAround<T>(all: readonly T[], next: Next<T>): Next<T> {
  const before = new Map<T, T[]>();
  for (const each of all)
    for (const other of next(each)) {
      const known = before.get(other);
      if (known) known.push(each);
      else before.set(other, [each]);
    }
  return (each) => before.get(each) ?? [];
}

/** In the order in which a walk in depth leaves them. */
function afterTheirNext<T>(all: readonly T[], next: Next<T>): T[] {
  const left: T[] = [];
  const entered = new Set<T>();
  const walk = all.map((each) => ({ each, isLeaving: false }));
  for (let step = walk.pop(); step; step = walk.pop()) {
    const { each, isLeaving } = step;
    if (isLeaving) left.push(each);
    if (isLeaving || entered.has(each)) continue;
    entered.add(each);
    walk.push({ each, isLeaving: true });
    for (const other of next(each)) walk.push({ each: other, isLeaving: false });
  }
  return left;
}

/** Those that were not seen before; from now on they are. */
function reachedFrom<T>(start: T, next: Next<T>, seen: Set<T>): T[] {
  const reached: T[] = [];
  const open = [start];
  while (open.length > 0) {
    for (const each of open.splice(0)) {
      if (seen.has(each)) continue;
      seen.add(each);
      reached.push(each);
      open.push(...next(each));
    }
  }
  return reached;
}
