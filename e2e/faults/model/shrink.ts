/**
 * The fewest items that still fail, by leaving out ever smaller runs of them. fast-check would shrink one command at a
 * time, and each try plays a whole world.
 */
export async function fewest<Item>(
  items: readonly Item[],
  fails: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  let left = items;
  for (let run = Math.ceil(left.length / 2); run >= 1; run = run === 1 ? 0 : Math.ceil(run / 2)) {
    for (let at = 0; at < left.length;) {
      const without = [...left.slice(0, at), ...left.slice(at + run)];
      if (await fails(without)) left = without;
      else at += run;
    }
  }
  return left;
}
