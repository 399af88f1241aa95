import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../../scripts/run.mjs';
import { medianOf, whole } from '../figures.mjs';
import { INSTALLED, bundle } from '../peers.mjs';

export const title = 'Expanding URL templates';

export const how = `In Node, one thread, 100 ms of each in turn, after a warm-up of the same length. All expand a template
that was read before, where they have such a form; "read each time" is given the text. \`locate\` is what a call of ours goes
through: our defaults and corrections of RFC 6570, the URL resolved and held to its base, origins checked. The results of all
are compared.`;

const CASES = [
  { name: 'one name', template: '/photo/{id}/medium', params: { id: '17' } },
  {
    name: 'path and query',
    template: '/photos/{album}{?page,q,tags*}',
    params: { album: 'Sea & sky', page: '2', q: 'late light', tags: ['night', 'fog'] },
  },
  {
    name: 'many operators',
    template: '/a/{+path}{/way*}{;x,y}{?q:4}{&more*}',
    params: { path: 'b/c', way: ['d', 'e'], x: '1', y: '2', q: 'abcdef', more: ['f', 'g'] },
  },
];
const SLICE = 100;
const DOCUMENT = 'http://localhost/';

/** @param {import('../plan.mjs').Plan} plan */
export async function measure({ rounds, tell }) {
  const ways = await waysOf();
  const samples = [];
  const faults = [];
  for (const { name, template, params } of CASES) {
    tell(`template: ${name}`);
    const runs = ways.map(({ way, prepare }) => ({ way, run: prepare(template, params) }));
    const expected = runs[0]?.run().replace(/^http:\/\/[^/]*/, '');
    for (const { way, run } of runs) {
      const found = run().replace(/^http:\/\/[^/]*/, '');
      if (found !== expected) faults.push(`${way}: ${template} became ${found}, not ${expected}`);
    }
    for (let round = 0; round <= rounds; round += 1) {
      for (const { way, run } of runs) {
        const perSecond = rate(run);
        if (round > 0) samples.push({ way, name, perSecond });
      }
    }
  }
  return {
    tables: [
      {
        title: 'Expansions a second',
        head: ['library', ...CASES.map(({ name }) => name)],
        rows: ways.map(({ way }) => [
          way,
          ...CASES.map(({ name }) =>
            whole(Number(medianOf(samples, { way, name }, 'perSecond').toPrecision(3))),
          ),
        ]),
      },
    ],
    charts: [],
    faults,
    raw: { samples, cases: CASES },
  };
}

/** @param {() => string} run */
function rate(run) {
  const began = performance.now();
  let [times, length] = [0, 0];
  while (performance.now() - began < SLICE) {
    for (let index = 0; index < 200; index += 1) length += run().length;
    times += 200;
  }
  // What nobody reads an engine may leave out.
  if (length === 0) throw new Error('Nothing was expanded.');
  return times / ((performance.now() - began) / 1_000);
}

async function waysOf() {
  const require = createRequire(join(INSTALLED, 'package.json'));
  const ours = await ownModule();
  const { parseTemplate } = await import(pathToFileURL(require.resolve('url-template')).href);
  const uriTemplates = require('uri-templates');
  const uritemplate = require('uritemplate');
  return [
    {
      way: 'Offstage, the whole of locate',
      prepare: (template, params) => {
        const invocation = {
          template,
          baseUrl: '',
          params: Object.entries(params),
          documentUrl: DOCUMENT,
          policy: { origins: [] },
          body: { kind: 'none' },
        };
        return () => {
          const located = ours.locate(invocation);
          if (located.kind === 'refused') throw new Error(located.failure.message);
          return located.url;
        };
      },
    },
    {
      way: 'Offstage, expansion alone, read each time',
      prepare: (template, params) => {
        const list = Object.entries(params);
        return () =>
          ours
            .expand(template, list)
            .map(({ text }) => text)
            .join('');
      },
    },
    {
      way: 'url-template',
      prepare: (template, params) => {
        const compiled = parseTemplate(template);
        return () => compiled.expand(params);
      },
    },
    {
      way: 'url-template, read each time',
      prepare: (template, params) => () => parseTemplate(template).expand(params),
    },
    {
      way: 'uri-templates',
      prepare: (template, params) => {
        const compiled = uriTemplates(template);
        return () => compiled.fill(params);
      },
    },
    {
      way: 'uritemplate',
      prepare: (template, params) => {
        const compiled = uritemplate.parse(template);
        return () => compiled.expand(params);
      },
    },
  ];
}

/** The worker's own sources, which it does not export. */
async function ownModule() {
  const sources = join(ROOT, 'src', 'worker', 'address');
  const code = `export { expand, locate } from ${JSON.stringify(join(sources, 'expansion.ts'))};`;
  const chunks = await bundle(join(ROOT, 'bench', 'entry.js'), { code, keep: true });
  const file = join(INSTALLED, 'address.mjs');
  await mkdir(INSTALLED, { recursive: true });
  await writeFile(file, chunks.find(({ isEntry }) => isEntry)?.code ?? '');
  return import(`${pathToFileURL(file).href}?${Date.now()}`);
}
