// A page that starts with what was stored, whichever library stores it.

/** How many are asked for at a time, to be stored. */
const AT_A_TIME = 200;

/**
 * @param {object} library
 * @param {() => Promise<unknown>} library.prepare Until the worker controls the page.
 * @param {(names: readonly string[]) => Promise<unknown>} library.ask
 * @param {(count: number) => Promise<unknown>} library.stored Until so many are stored.
 * @param {(name: string, told: (item: any) => void) => void} library.show Told each time that there is something to show.
 */
export function offerBoot({ prepare, ask, stored, show }) {
  const errors = [];
  let shownAt = null;
  const name = location.hash.slice(1);
  if (name !== '')
    show(name, (item) => {
      if (item?.name !== name) errors.push(`Asked ${name}, was shown ${JSON.stringify(item)}`);
      // Milliseconds since the navigation began.
      shownAt ??= performance.now();
    });
  globalThis.bench = {
    errors,
    prepare,
    /** Has so many stored. */
    async fill(count) {
      for (let from = 0; from < count; from += AT_A_TIME) {
        const some = Array.from({ length: Math.min(AT_A_TIME, count - from) }, (_, n) => `item-${from + n}`);
        await ask(some);
      }
      await stored(count);
    },
    get shownAt() {
      return shownAt;
    },
  };
}

/** Until the page's worker, which serves the page, controls it. */
export async function controlled(url) {
  await navigator.serviceWorker.register(url);
  await navigator.serviceWorker.ready;
  await until(() => navigator.serviceWorker.controller);
}

export async function fetchItem(name) {
  const response = await fetch(`/item/${name}`);
  return response.json();
}

export async function until(isIt) {
  while (!(await isIt())) await new Promise((resolve) => setTimeout(resolve, 20));
}
