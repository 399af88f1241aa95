import { connect } from 'offstage';
import { Account } from './account.ts';
import { announce } from './announce.ts';
import { Collection } from './collection.ts';
import { Door } from './door.ts';
import { Editor } from './editor.ts';
import { find } from './element.ts';
import { EventLog } from './event-log.ts';
import { FreshnessMark } from './freshness.ts';
import { Inspector } from './inspector.ts';
import { startInstallButton } from './install-button.ts';
import { LiveList } from './live-list.ts';
import { Drawer } from './outbox/drawer.ts';
import { startOutboxButton } from './outbox/outbox-button.ts';
import { Waiting } from './outbox/waiting.ts';
import { Palettes } from './palettes.ts';
import { PictureKeeper } from './picture-keeper.ts';
import { Pulse } from './pulse.ts';
import { RESOURCES } from './resources.ts';
import { go } from './route.ts';
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
// The log listens first, so that it misses nothing.
const log = new EventLog();
log.start();

const palettes = new Palettes();
const collection = new Collection();
const waiting = new Waiting(connection, collection);
const drawer = new Drawer({
  waiting,
  palettes,
  edit: ({ entry, kind, photo }) =>
    go(kind === 'create' ? { view: 'new', entry: entry.id } : { view: 'edit', id: photo }),
});
const ports = {
  collection,
  palettes,
  waiting,
  open: (entry: string | null) => drawer.open(entry),
};
const wall = new Wall(palettes, waiting);
const viewer = new Viewer(ports);
const freshness = new FreshnessMark(connection);
const stage = new Stage();
const pictures = new PictureKeeper();
const live = new LiveList();
const pulse = new Pulse();
const trouble = new TroublePanel();
const inspector = new Inspector(connection, () => stage.backstageIsSeen);

collection.subscribe((state) => {
  wall.render(state);
  freshness.render(state);
  pictures.keep(state);
});
const search = startSearch(collection);
find('#skip', HTMLAnchorElement).addEventListener('click', (event) => {
  // Its address is that of no view.
  event.preventDefault();
  find('#wall', HTMLElement).focus();
});
find('#more', HTMLButtonElement).addEventListener('click', () => collection.more());
waiting.outbox.addEventListener('renamed', ({ temporaryId, id }) => {
  if (temporaryId === null || id === null) return;
  wall.rename(temporaryId, id);
  stage.rename(temporaryId, id);
});
stage.follow({ collection, wall, viewer, editor: new Editor(ports) });
drawer.start();
startOutboxButton(waiting, () => drawer.open());
pulse.start(inspector);
trouble.start();
new WorkerPanel(connection).start(inspector);
void inspector.run();

const colours = { begin: () => void colour(), end: () => announce('') };
const account = new Account(connection, [
  log,
  collection,
  waiting,
  pictures,
  live,
  pulse,
  search,
  trouble,
  colours,
  stage,
]);
for (const resource of RESOURCES) {
  resource.addListener('error', ({ status }) => {
    if (status === 401) account.expire();
  });
}
new Door(account).start();
account.start();

// Frames are on the sheet, and a photo may be open, before their colours are known.
async function colour(): Promise<void> {
  await palettes.load().catch(() => undefined);
  wall.render(collection.state);
  viewer.repaint();
}
