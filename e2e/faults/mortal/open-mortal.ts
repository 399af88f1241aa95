import type { Bench } from '../row.ts';
import type { MortalBrowser } from './mortal-browser.ts';
import { MortalChromium } from './mortal-chromium.ts';
import { MortalFirefox } from './mortal-firefox.ts';

/** The engine that the bench was asked for. `userLifetimes`: Firefox, too, ends its workers as late as it does for users. */
export async function openMortal(
  { engine, chromium, firefox }: Bench,
  { userLifetimes = false }: { readonly userLifetimes?: boolean } = {},
): Promise<MortalBrowser> {
  if (engine === 'firefox') return MortalFirefox.at(await firefox(), userLifetimes);
  return MortalChromium.at(chromium);
}
