// A list of rows as an API of some business has them, about 210 bytes each, which changes in known steps. A list of 20 rows or
// fewer has short ones, about 95 bytes each.

const CITIES = ['Aachen', 'Bergen', 'Cork', 'Delft', 'Espoo', 'Faro', 'Gent', 'Haarlem'];
const STATES = ['open', 'paid', 'sent', 'returned'];

/** The most rows of a list that begins with short ones. */
const SHORT = 20;

export class List {
  #rowOf;
  /** @type {string[]} Each row as JSON. */
  #rows;
  #version = 0;
  #lastId;
  /** Made when it is asked for; from then on changed along with the rows, which takes a server less than to make it anew. @type {Buffer | null} */
  #body = null;

  /** @param {number} length */
  constructor(length) {
    this.#rowOf = length <= SHORT ? shortRowOf : rowOf;
    this.#rows = Array.from({ length }, (_, index) => this.#rowOf(index + 1, 0));
    this.#lastId = length;
  }

  get length() {
    return this.#rows.length;
  }

  get etag() {
    return `"v${this.#version}-${this.#rows.length}"`;
  }

  get body() {
    this.#body ??= Buffer.from(`[${this.#rows.join(',')}]`);
    return this.#body;
  }

  /** @param {number} [count] All of them, unless it says how many. */
  top(count) {
    return count === undefined ? this.body : Buffer.from(`[${this.#rows.slice(0, count).join(',')}]`);
  }

  /** @param {'changed' | 'inserted'} step */
  step(step) {
    this.#version += 1;
    if (step === 'inserted') {
      this.#lastId += 1;
      const row = this.#rowOf(this.#lastId, this.#version);
      this.#splice(1, 0, this.#rows.length === 0 ? row : `${row},`);
      this.#rows.unshift(row);
      return;
    }
    const at = (this.#version * 7_919) % this.#rows.length;
    const before = this.#rows[at] ?? '{}';
    const row = this.#rowOf(JSON.parse(before).id, this.#version);
    this.#splice(this.#offsetOf(at), before.length, row);
    this.#rows[at] = row;
  }

  /** Where a row begins: all of it is ASCII. @param {number} at */
  #offsetOf(at) {
    let offset = 1;
    for (let index = 0; index < at; index += 1) offset += (this.#rows[index] ?? '').length + 1;
    return offset;
  }

  /**
   * @param {number} start
   * @param {number} length
   * @param {string} text
   */
  #splice(start, length, text) {
    if (this.#body === null) return;
    const parts = [this.#body.subarray(0, start), Buffer.from(text), this.#body.subarray(start + length)];
    this.#body = Buffer.concat(parts);
  }
}

/**
 * @param {number} id
 * @param {number} version
 */
function rowOf(id, version) {
  return JSON.stringify({
    id,
    number: `A-${String(id).padStart(8, '0')}`,
    customer: `Customer ${(id * 31) % 9_973}`,
    city: CITIES[id % CITIES.length],
    total: (id * 137) % 100_000,
    state: STATES[(id + version) % STATES.length],
    placed: new Date(1.7e12 + id * 61_000).toISOString(),
    version,
    address: { street: `Street ${id % 997}`, postcode: String(10_000 + (id % 89_999)) },
  });
}

/**
 * @param {number} id
 * @param {number} version
 */
function shortRowOf(id, version) {
  return JSON.stringify({
    id,
    customer: `C-${(id * 31) % 9_973}`,
    total: (id * 137) % 100_000,
    state: STATES[(id + version) % STATES.length],
    version,
    address: { city: CITIES[id % CITIES.length] },
  });
}
