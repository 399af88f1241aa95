// Each subpath of the package in a bundle of its own, imported bare and by name, by vite and by esbuild: what a module does
// by being loaded has to be there, and what nobody has named must not.

import { Stop, run } from './run.mjs';

/** What only that module says, in whatever way a bundler writes it. */
const ELEMENT = /customElements\.define\(/;
const LISTENER = /addEventListener\(\s*["'`]message["'`]/;
const ENGINE = /offstage:worker:/;
const SESSION = /There is no worker: it did not start/;
const SCRIPT = /document\.currentScript/;

/**
 * @typedef {object} Program
 * @property {string} code
 * @property {readonly RegExp[]} has What its bundle has to have.
 * @property {readonly RegExp[]} [lacks] What may not be in it, but for what is loaded later.
 * @property {readonly RegExp[]} [later] What it has to have, but not at once.
 */

/** @type {Record<string, Program>} */
const PROGRAMS = {
  'offstage, bare': { code: "import 'offstage';", has: [], lacks: [SESSION, ENGINE] },
  'offstage by name': {
    code: "import { connect, Resource } from 'offstage'; connect(); new Resource({});",
    has: [SESSION],
    lacks: [ELEMENT],
    later: [ENGINE],
  },
  'offstage/list, bare': { code: "import 'offstage/list';", has: [ELEMENT], lacks: [SESSION, ENGINE] },
  'offstage/list by name': {
    code: "import { List } from 'offstage/list'; document.body.append(new List());",
    has: [ELEMENT],
    lacks: [SESSION, ENGINE],
  },
  'offstage/fw, bare': { code: "import 'offstage/fw';", has: [ELEMENT] },
  'offstage/fw by name': {
    code: "import { fw } from 'offstage/fw'; new fw.io.rest.Resource({});",
    has: [ELEMENT, SESSION],
    later: [ENGINE],
  },
  'offstage/worker, bare': { code: "import 'offstage/worker';", has: [], lacks: [LISTENER, ENGINE] },
  'offstage/worker by name': {
    code: "import { install } from 'offstage/worker'; install(self);",
    has: [LISTENER, ENGINE],
    lacks: [SESSION, ELEMENT],
  },
  'offstage/service-worker.js, bare': {
    code: "import 'offstage/service-worker.js';",
    has: [LISTENER, ENGINE],
    lacks: [SESSION, ELEMENT],
  },
  'offstage/offstage.global.js, bare': {
    code: "import 'offstage/offstage.global.js';",
    has: [SCRIPT, ELEMENT, SESSION],
  },
};

/**
 * Bundles all in an app that has the package, vite and esbuild.
 *
 * @param {string} app
 */
export async function checkBundles(app) {
  const codes = Object.fromEntries(Object.entries(PROGRAMS).map(([name, { code }]) => [name, code]));
  const { code, output, stdout } = await run('node', ['bundle.mjs', JSON.stringify(codes)], { cwd: app });
  if (code !== 0) throw new Stop(`${output}\nThe package cannot be bundled: see above.`);
  /** @type {{ name: string, bundler: string, bundle: { atOnce: string, all: string } }[]} */
  const made = JSON.parse(stdout);
  const flaws = made.flatMap(({ name, bundler, bundle }) =>
    flawsOf(PROGRAMS[name], bundle).map((flaw) => `${name}, by ${bundler}: ${flaw}`),
  );
  if (flaws.length > 0) throw new Stop(`${flaws.join('\n')}\nBundlers make another thing of the package.`);
}

/**
 * @param {Program} program
 * @param {{ readonly atOnce: string, readonly all: string }} bundle
 * @returns {string[]}
 */
function flawsOf({ has, lacks = [], later = [] }, { atOnce, all }) {
  return [
    ...has.filter((mark) => !mark.test(atOnce)).map((mark) => `${mark.source} is missing`),
    ...lacks.filter((mark) => mark.test(atOnce)).map((mark) => `${mark.source} is in it`),
    ...later.filter((mark) => !mark.test(all)).map((mark) => `${mark.source} is missing, later too`),
    ...later.filter((mark) => mark.test(atOnce)).map((mark) => `${mark.source} is loaded at once`),
  ];
}
