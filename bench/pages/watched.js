// What a page of watched queries offers, whichever library fills it.

/**
 * @param {object} library
 * @param {() => Promise<unknown>} library.prepare
 * @param {(name: string, told: () => void) => { data: () => any, refresh: () => Promise<unknown> }} library.watch
 * @param {(name: string) => Promise<any>} library.call
 */
export function offerQueries({ prepare, watch, call }) {
  const errors = [];
  const queries = new Map();
  let told = 0;
  globalThis.addEventListener('error', ({ message }) => errors.push(message));
  globalThis.addEventListener('unhandledrejection', ({ reason }) => errors.push(String(reason)));

  function check(name, answer) {
    if (answer?.name !== name) errors.push(`Asked ${name}, was shown ${JSON.stringify(answer)}`);
  }

  globalThis.bench = {
    errors,
    get told() {
      return told;
    },
    prepare,
    /** Watches so many queries, until all have data. */
    async watch(count) {
      for (let n = 0; n < count; n += 1) {
        const name = `watched-${n}`;
        queries.set(
          name,
          watch(name, () => (told += 1)),
        );
      }
      await until(() => [...queries.values()].every(({ data }) => data()));
      for (const [name, { data }] of queries) check(name, data());
    },
    /** Has one of them answered so many times, one after the other. */
    async refresh(times) {
      const name = `watched-${queries.size >> 1}`;
      const query = queries.get(name);
      for (let n = 0; n < times; n += 1) await query.refresh();
      check(name, query.data());
    },
    /** Milliseconds until so many equal calls, made in one turn, are answered. */
    async equal(name, count) {
      const began = performance.now();
      const answers = await Promise.all(Array.from({ length: count }, () => call(name)));
      const took = performance.now() - began;
      for (const answer of answers) check(name, answer);
      return took;
    },
  };
}

async function until(isIt) {
  while (!isIt()) await new Promise((resolve) => setTimeout(resolve, 20));
}
