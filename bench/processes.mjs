// What a tree of processes has cost, read from /proc (Linux).

import { readFileSync, readdirSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the kernel's own clock is. */
const TICKS = 100;

/**
 * CPU seconds, user and system, of a process and of all that descend from it and still live.
 *
 * @param {number} root
 * @param {string} [kind] Only processes that Chromium calls so: `renderer`, `utility`, `gpu-process`, or `browser` for the
 *   one that started the others.
 */
export function cpuSeconds(root, kind) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(statOf);
  const tree = new Set([root]);
  for (let grown = true; grown;) {
    const size = tree.size;
    for (const { pid, parent } of all) if (tree.has(parent)) tree.add(pid);
    grown = tree.size > size;
  }
  return (
    all
      .filter(({ pid }) => tree.has(pid) && (kind === undefined || kindOf(pid) === kind))
      .reduce((sum, { ticks }) => sum + ticks, 0) / TICKS
  );
}

/** @param {number} pid */
function kindOf(pid) {
  try {
    return /--type=([\w-]+)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[1] ?? 'browser';
  } catch {
    return null;
  }
}

/** @param {string} name */
function statOf(name) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    // The program's name stands in brackets and may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return [{ pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }];
  } catch {
    return [];
  }
}
