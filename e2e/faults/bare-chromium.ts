import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Of one that shows nothing and asks nothing. */
export const FLAGS: readonly string[] = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run'];

/**
 * Opens a page in a Chromium that nobody drives: under a debugger, Playwright included, no worker dies of idleness.
 * The returned function ends it. `flags`: further ones of the command line.
 */
export async function openBare(
  program: string,
  url: string,
  flags: readonly string[] = [],
): Promise<() => Promise<void>> {
  const profile = await mkdtemp(join(tmpdir(), 'offstage-faults-'));
  const browser = spawn(program, [...FLAGS, ...flags, `--user-data-dir=${profile}`, url], {
    stdio: 'ignore',
    detached: true,
  });
  const closed = once(browser, 'close');
  return async () => {
    // The leader of a group of its own, with all that it has started.
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL');
    await closed;
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
}
