import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { ROOT } from '../../scripts/run.mjs';
import { bundle } from '../peers.mjs';

export const title = 'What is loaded';

export const how = `A module with one import, as vite builds an app: minified, for ES2022 and production, with whatever the
library itself imports; compressed by brotli at its highest level, each file by itself, kB of 1,000 bytes. "At once" is what a page
loads before its first call; the rest is loaded later or never. A peer in React is shown without React, whose page has it anyway.`;

/** @type {readonly { name: string, code: string, short?: string, external?: readonly string[] }[]} */
const ENTRIES = [
  {
    name: 'offstage: connect, Resource, RestStore',
    code: "export { connect, Resource, RestStore } from 'offstage';",
    short: 'Offstage',
  },
  { name: 'offstage: all', code: "export * from 'offstage';" },
  { name: 'offstage/list', code: "export * from 'offstage/list';" },
  { name: 'offstage/fw (brings the others)', code: "export * from 'offstage/fw';" },
  {
    name: 'TanStack Query: QueryClient, QueryObserver',
    code: "export { QueryClient, QueryObserver } from '@tanstack/query-core';",
    short: 'TanStack Query',
  },
  {
    name: 'SWR, without React',
    code: "export { default } from 'swr';",
    short: 'SWR',
    external: ['react', 'react-dom'],
  },
  {
    name: 'RTK Query: configureStore, createApi, fetchBaseQuery',
    code: `export { configureStore } from '@reduxjs/toolkit';
      export { createApi, fetchBaseQuery } from '@reduxjs/toolkit/query';`,
    short: 'RTK Query',
  },
  {
    name: 'alova and its fetch adapter',
    code: "export { createAlova } from 'alova'; export { default } from 'alova/fetch';",
  },
  {
    name: 'alova with useAutoRequest, without React',
    code: `export { createAlova } from 'alova';
      export { default as adapter } from 'alova/fetch';
      export { default as hook } from 'alova/react';
      export { useAutoRequest } from 'alova/client';`,
    short: 'alova',
    external: ['react', 'react-dom'],
  },
];

/** Beside the page, not in its way: the browser loads it once for all tabs. */
const WORKER = 'dist/service-worker.js';

/** @param {import('../plan.mjs').Plan} plan */
export async function measure({ tell }) {
  const sizes = [];
  for (const { name, short, code, external } of ENTRIES) {
    tell(`size: ${name}`);
    sizes.push({ name, short, ...(await sizeOf(code, external)) });
  }
  const worker = compressed(await readFile(join(ROOT, WORKER)));
  return {
    tables: [
      {
        title: 'Minified and brotli, kB',
        head: ['import', 'at once', 'later'],
        rows: [
          ...sizes.map(({ name, initial, later }) => [name, kB(initial), later > 0 ? kB(later) : 'none']),
          [`${WORKER} (beside the page)`, '', kB(worker)],
        ],
      },
    ],
    charts: [
      {
        file: 'size',
        title: 'Loaded before the first call, minified and brotli',
        unit: 'kB',
        scale: 'linear',
        groups: [
          {
            name: '',
            bars: sizes.flatMap(({ short, initial }) =>
              short ? [{ name: short, value: initial / 1_000 }] : [],
            ),
          },
        ],
      },
    ],
    faults: [],
    raw: { sizes, worker },
  };
}

/**
 * @param {string} code
 * @param {readonly string[]} [external]
 */
async function sizeOf(code, external) {
  const chunks = await bundle(join(ROOT, 'bench', 'entry.js'), { code, keep: true, external });
  const entry = chunks.find(({ isEntry }) => isEntry);
  const initial = new Set(entry ? [entry] : []);
  // A set grows while it is gone through.
  for (const { imports } of initial) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) initial.add(chunk);
  }
  return { initial: sum([...initial]), later: sum(chunks.filter((chunk) => !initial.has(chunk))) };
}

/** @param {readonly { code: string }[]} chunks */
function sum(chunks) {
  return chunks.reduce((bytes, { code }) => bytes + compressed(Buffer.from(code)), 0);
}

/** @param {number} bytes */
function kB(bytes) {
  return (bytes / 1_000).toFixed(2);
}

/** @param {Buffer} code */
function compressed(code) {
  return brotliCompressSync(code).length;
}
