import * as offstage from 'offstage';
import * as witness from '../page/witness.ts';
import { Backstage } from './backstage.ts';
import type { Play } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

// A page that plays the part which the prompter has for it, and reports.

window.offstage = offstage;
window.witness = witness;

const query = new URLSearchParams(location.search);
const stage = new Backstage(
  query.get('prompter') ?? '',
  query.get('page') ?? '',
  navigator.serviceWorker.controller !== null,
);
const uncaught: string[] = [];
addEventListener('error', (event) => uncaught.push(event.message));
addEventListener('unhandledrejection', (event) => uncaught.push(String(event.reason)));

void perform();

async function perform(): Promise<void> {
  try {
    const play = await find();
    await play(stage);
    stage.same('nothing is thrown that nobody catches', uncaught, []);
  } catch (error) {
    stage.check('the scenario is played to its end', false, String(error));
  }
  await stage.report();
}

async function find(): Promise<Play> {
  const { scenario, act } = await stage.part();
  const found = SCENARIOS.find(({ name }) => name === scenario);
  const play = act === 'guest' ? found?.guest : found?.acts[act]?.play;
  if (!play) throw new Error(`There is no act ${act} of '${scenario}'`);
  return play;
}
