// Runs in the page: the list widget with many rows, each step timed by itself.

import { List } from '../dist/main/list/index.js';

const COUNT = 100_000;
const ROUNDS = 15;

/** The steps: each gets a list that shows the rows, and returns what is to be timed. */
const STEPS = {
  'first render': (list, rows) => {
    list.model = null;
    return () => (list.model = rows);
  },
  'one row changed, in sight': (list, rows) => setting(list, changed(rows, 3)),
  'one row changed, out of sight': (list, rows) => setting(list, changed(rows, COUNT - 1)),
  'inserted at the top, scrolled to the middle': (list, rows) => {
    scrollTo(list, COUNT / 2);
    return setting(list, [{ id: -1, title: 'New' }, ...rows]);
  },
  'the same, with the last row selected': (list, rows) => {
    scrollTo(list, COUNT / 2);
    list.selection = rows.slice(-1);
    return setting(list, [{ id: -1, title: 'New' }, ...rows]);
  },
  'one row changed, all selected': (list, rows) => {
    list.selection = rows;
    return setting(list, changed(rows, 3));
  },
  'inserted at the top, all selected': (list, rows) => {
    list.selection = rows;
    return setting(list, [{ id: -1, title: 'New' }, ...rows]);
  },
  'selecting all': (list, rows) => () => (list.selection = rows),
  'a page further': (list) => {
    const viewport = list.shadowRoot.querySelector('[part=viewport]');
    const event = new KeyboardEvent('keydown', { key: 'PageDown', bubbles: true });
    return () => viewport.dispatchEvent(event);
  },
};

/** @returns {Promise<{ step: string, median: number, worst: number, elements: number }[]>} Milliseconds. */
globalThis.measure = async () => {
  const results = [];
  for (const [step, prepare] of Object.entries(STEPS)) {
    const times = [];
    let elements = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const list = await listOf(rowsOf());
      const act = prepare(list, list.model);
      await frame();
      times.push(timed(act));
      elements = list.shadowRoot.querySelectorAll('[part~=row]').length;
      list.remove();
    }
    const sorted = times.toSorted((a, b) => a - b);
    results.push({ step, median: sorted[ROUNDS >> 1], worst: sorted.at(-1), elements });
  }
  return results;
};

/** The first list of a page, made, put into the document and filled: nothing has run before. */
globalThis.measureFirst = async () => {
  const rows = rowsOf();
  await frame();
  return timed(() => {
    const list = new List();
    list.style.height = '600px';
    document.body.append(list);
    list.model = rows;
  });
};

function rowsOf() {
  return Array.from({ length: COUNT }, (_, id) => ({
    id,
    title: `Row ${id}`,
    author: { name: `Name ${id}` },
  }));
}

async function listOf(rows) {
  const list = new List();
  list.selectionMode = 'multiple';
  list.style.height = '600px';
  document.body.append(list);
  list.model = rows;
  await frame();
  return list;
}

function setting(list, rows) {
  return () => (list.model = rows);
}

function changed(rows, index) {
  return rows.with(index, { ...rows[index], title: 'Changed' });
}

function scrollTo(list, index) {
  list.shadowRoot.querySelector('[part=viewport]').scrollTop = index * 32;
}

/** Layout included, which the browser would do a little later. */
function timed(act) {
  const began = performance.now();
  act();
  document.body.getBoundingClientRect();
  return performance.now() - began;
}

async function frame() {
  for (let each = 0; each < 2; each += 1) await new Promise(requestAnimationFrame);
}
