// Finds the Firefox of the fault bench, or installs it from Debian: unlike Chromium, only one of its rows needs it.

import { findProgram, installBySystem } from './chromium.mjs';
import { Stop } from './run.mjs';

const NAMES = ['firefox-esr'];

/** @returns {Promise<string>} The path of a Firefox ESR that can be run. */
export async function readyFirefox() {
  return (await findProgram(NAMES)) ?? install();
}

async function install() {
  // Standard output belongs to the rows.
  console.error('No Firefox ESR found: trying apt-get install firefox-esr ...');
  const output = await installBySystem(NAMES);
  const installed = await findProgram(NAMES);
  if (installed) return installed;
  throw new Stop(`${output}\nThere is no Firefox ESR, and it could not be installed: install firefox-esr.`);
}
