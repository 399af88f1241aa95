import { connect } from 'offstage';
import { Collection } from './collection.ts';
import { Editor } from './editor.ts';
import { find } from './element.ts';
import { EventLog } from './event-log.ts';
import { FreshnessMark } from './freshness.ts';
import { Inspector } from './inspector.ts';
import { startInstallButton } from './install-button.ts';
import { LiveList } from './live-list.ts';
import { Palettes } from './palettes.ts';
import { PictureKeeper } from './picture-keeper.ts';
import { Pulse } from './pulse.ts';
import { startSearch } from './search.ts';
import { Stage } from './stage.ts';
import { startTheme } from './theme.ts';
import { TroublePanel } from './trouble-panel.ts';
import { startUpdateButton } from './update-button.ts';
import { Viewer } from './viewer.ts';
import { Wall } from './wall.ts';
import { WorkerPanel } from './worker-panel.ts';

startTheme();
startInstallButton();

const connection = connect({ serviceWorker: '/service-worker.js' });
startUpdateButton(connection);
const palettes = new Palettes();
const collection = new Collection();
const wall = new Wall(palettes);
const viewer = new Viewer(collection, palettes);
const freshness = new FreshnessMark(connection);
const stage = new Stage();
const pictures = new PictureKeeper();
const inspector = new Inspector(connection, () => stage.backstageIsSeen);

// The log listens first, so that it misses nothing.
new EventLog().start();

collection.subscribe((state, changed) => {
  wall.render(state, changed?.created ?? []);
  freshness.render(state);
  pictures.keep(state);
});
startSearch(collection);
find('#skip', HTMLAnchorElement).addEventListener('click', (event) => {
  // Its address is that of no view.
  event.preventDefault();
  find('#wall', HTMLElement).focus();
});
find('#more', HTMLButtonElement).addEventListener('click', () => collection.more());
stage.follow(collection, wall, viewer, new Editor(collection, palettes));

collection.start();
new LiveList().start();
new Pulse().start(inspector);
new WorkerPanel(connection).start(inspector);
new TroublePanel().start();
void inspector.run();

// Frames are on the sheet, and a photo may be open, before their colours are known.
void colour();

async function colour(): Promise<void> {
  await palettes.load().catch(() => undefined);
  wall.render(collection.state, []);
  viewer.repaint();
}
