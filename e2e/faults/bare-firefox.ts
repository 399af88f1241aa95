import { forgetProfile, makeProfile } from '../engines/profile.ts';
import { Program } from '../engines/program.ts';

/**
 * Opens a page in a Firefox that nobody drives, with the worker's lifetime that users have. A page may open tabs without
 * a click. The returned function ends it.
 */
export async function openBareFirefox(program: string, url: string): Promise<() => Promise<void>> {
  const profile = await makeProfile({ 'dom.disable_open_during_load': false });
  const browser = new Program(program, ['--headless', '--profile', profile, url], { HOME: profile });
  return async () => {
    await browser.end();
    await forgetProfile(profile);
  };
}
