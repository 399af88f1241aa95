// Starts other programs for the scripts beside this one. Uses nothing from node_modules.

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Run
 * @property {number} code Exit code; -1 when it could not start, was ended by a signal or took too long.
 * @property {string} output What it printed, both streams as they came; empty where they were shown instead.
 * @property {string} stdout Its standard output alone.
 */

/**
 * Runs a program to its end and never rejects.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, show?: boolean, timeout?: number }} [options]
 *   `show`: let it print; `timeout`: milliseconds after which it is ended.
 * @returns {Promise<Run>}
 */
export function run(command, args, { cwd = ROOT, env = {}, show = false, timeout } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
      detached: timeout !== undefined,
    });
    const relax = timeout === undefined ? () => undefined : endInTime(child, timeout);
    let output = '';
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.on('error', (error) => {
      relax();
      resolve({ code: -1, output: `${output}${error.message}\n`, stdout });
    });
    child.on('close', (code) => {
      relax();
      resolve({ code: code ?? -1, output, stdout });
    });
  });
}

/**
 * Ends a program with all that it started, when its time is up or on Ctrl-C: an installer leaves the work to others.
 *
 * @param {import('node:child_process').ChildProcess} child Leader of a process group of its own.
 * @param {number} timeout
 * @returns {() => void} To call when it has ended by itself.
 */
function endInTime({ pid }, timeout) {
  const end = () => pid !== undefined && process.kill(-pid, 'SIGKILL');
  const interrupt = () => {
    end();
    process.exit(130);
  };
  const timer = setTimeout(end, timeout);
  process.once('SIGINT', interrupt);
  return () => {
    clearTimeout(timer);
    process.off('SIGINT', interrupt);
  };
}

/**
 * The path of a program that a dev dependency brought along.
 *
 * @param {string} name
 */
export function tool(name) {
  return join(ROOT, 'node_modules', '.bin', name);
}

/** An end that needs no stack trace: its message says what to do. */
export class Stop extends Error {}

/**
 * Runs a script's main function when the script was started as a program, not imported.
 *
 * @param {string} url `import.meta.url` of the script.
 * @param {() => Promise<void>} main
 */
export async function runAsProgram(url, main) {
  const started = process.argv[1];
  if (started === undefined || realpathSync(started) !== fileURLToPath(url)) return;
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Stop || isUnknownOption(error) ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}

/**
 * @param {unknown} error
 * @returns {error is Error} Whether `parseArgs` could make nothing of an argument, and says so.
 */
function isUnknownOption(error) {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
