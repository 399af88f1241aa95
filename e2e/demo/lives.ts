import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';
import { startFirefox } from '../engines/firefox.ts';
import { attempt } from '../engines/patience.ts';
import { forgetProfile, makeProfile } from '../engines/profile.ts';

async function nothing(): Promise<void> {}

/** A browser from its start to its end, with one page. */
export interface Life {
  /** Runs a function in the page, which knows nothing but its argument. */
  run<Argument, Result>(script: (argument: Argument) => Result, argument: Argument): Promise<Awaited<Result>>;
  setOffline(isOffline: boolean): Promise<void>;
  /** Ends the browser. */
  end(): Promise<void>;
}

/** A profile on the disk, which outlives its browsers. */
export interface Profile {
  /** Starts a browser with it, at that address. */
  open(url: string, isOffline: boolean): Promise<Life>;
  forget(): Promise<void>;
}

export async function chromiumProfile(executablePath: string | undefined): Promise<Profile> {
  const folder = await mkdtemp(join(tmpdir(), 'offstage-chromium-'));
  let end = nothing;
  return {
    async open(url, offline) {
      const context = await chromium.launchPersistentContext(folder, {
        ...(executablePath !== undefined && { executablePath }),
        offline,
      });
      end = () => context.close();
      const page = context.pages()[0] ?? (await context.newPage());
      await page.goto(url);
      return {
        // Playwright has types of its own for what goes to the page and back.
        run: (script, argument) => page.evaluate(`(${String(script)})(${JSON.stringify(argument)})`),
        setOffline: (isOffline) => context.setOffline(isOffline),
        end,
      };
    },
    async forget() {
      await end();
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

const FIREFOX = 'firefox-esr';

export const hasFirefox: boolean = (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
  try {
    accessSync(join(folder, FIREFOX), constants.X_OK);
    return true;
  } catch {
    return false;
  }
});

/** Firefox takes its own machine for reachable while it is offline, unless it is told otherwise. */
const PREFERENCES = { 'network.disable-localhost-when-offline': true };

/** Milliseconds. */
const QUITTING = 20_000;

export async function firefoxProfile(): Promise<Profile> {
  const folder = await makeProfile(PREFERENCES);
  let end = nothing;
  return {
    async open(url, offline) {
      const { program, marionette } = await startFirefox(FIREFOX, folder, ['--remote-allow-system-access']);
      end = async () => {
        if (program.ended) return;
        // Killed, it would lose what pages have put into localStorage within the last seconds.
        await marionette.send(['Marionette:Quit', { flags: ['eAttemptQuit'] }]);
        marionette.close();
        await attempt(QUITTING, 'The end of Firefox', async () => program.ended || null);
        await program.end();
      };
      const inBrowser = async (script: string): Promise<void> => {
        await marionette.send(
          ['Marionette:SetContext', { value: 'chrome' }],
          ['WebDriver:ExecuteScript', { script, args: [] }],
          ['Marionette:SetContext', { value: 'content' }],
        );
      };
      const setOffline = (isOffline: boolean): Promise<void> =>
        inBrowser(`Services.io.offline = ${String(isOffline)}`);
      if (offline) await setOffline(true);
      await marionette.send(['WebDriver:Navigate', { url }]);
      return {
        async run(script, argument) {
          const body = `return (${String(script)})(arguments[0])`;
          return Object(
            await marionette.send(['WebDriver:ExecuteScript', { script: body, args: [argument] }]),
          ).value;
        },
        setOffline,
        end,
      };
    },
    async forget() {
      await end();
      await forgetProfile(folder);
    },
  };
}
