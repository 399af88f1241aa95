import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What of a Firefox opens tabs or connections of its own. */
const QUIET = {
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'app.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
};

/** Makes the folder of a fresh profile of Firefox, with those preferences, and returns its path. */
export async function makeProfile(preferences: Readonly<Record<string, unknown>>): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), 'offstage-firefox-'));
  const lines = Object.entries({ ...QUIET, ...preferences }).map((entry) => `user_pref(${quoted(entry)});\n`);
  await writeFile(join(profile, 'user.js'), lines.join(''));
  return profile;
}

/** Processes of it may still be writing. */
export async function forgetProfile(profile: string): Promise<void> {
  await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}
