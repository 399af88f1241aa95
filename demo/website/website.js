// A page without a bundler: this file is served as it stands here. offstage.global.js, which website.html loads before
// it, has connected to the service worker and left `fw` on the page; all that is asked for below is asked for there.
'use strict';

const find = (id) => document.getElementById(id);

/** Sets a text; an element that has nothing to say is hidden. */
function say(id, text) {
  find(id).hidden = text === '';
  find(id).textContent = text;
}

const clock = (time) => new Date(time).toLocaleTimeString('en-GB');
const day = (time) => new Date(time).toLocaleDateString('en-GB', { dateStyle: 'long' });

// ---- Who is signed in --------------------------------------------------------------------------------------------

// The sheet has noted it for all pages; the session itself is a cookie that no script can read.
const account = JSON.parse(localStorage.getItem('account'));
const isSignedIn = Boolean(account?.agreed && account.user);
document.body.classList.toggle('signed-out', !isSignedIn);

// The worker keeps the answers of each user apart. Until it is told whose page this is, it answers nothing.
const connection = offstage.connect({ serviceWorker: '/service-worker.js' });
if (isSignedIn) connection.signIn(account.user);
else connection.signOut();

find('door').hidden = isSignedIn;

// Somebody else, or nobody: nothing that is shown here is theirs.
addEventListener('storage', ({ key }) => {
  if (key === 'account') location.reload();
});

// ---- The newest photos ------------------------------------------------------------------------------------------

const photos = new fw.io.rest.Resource({
  changes: { method: 'GET', url: '/api/photos/changes{?size,since}' },
  create: { method: 'POST', url: '/api/photos' },
});

// An answer is { items, total, cursor, ... } and a list shows rows, so the store makes the one of the other.
const store = new fw.data.store.Rest(photos, 'changes', {
  manipulateData: ({ items }) => items.map((photo) => ({ ...photo, icon: pictureOf(photo, 'small') })),
});

const list = new fw.ui.form.List();
list.setAttribute('aria-labelledby', 'newest-title');
const controller = new fw.data.controller.List(null, list, 'title');
controller.iconPath = 'icon';
controller.delegate = {
  // Called when an item has got its row; the label and the icon are in it already.
  bindItem(item, photo) {
    const number = document.createElement('span');
    number.part = 'number';
    number.textContent = frameNumber(photo);
    item.append(number);
  },
};

// From here on the list follows the store, and the store follows every answer. The server holds a request until there is
// something new; only the first, which knows of no change yet, is answered at once.
store.bind('model', controller, 'model');
if (isSignedIn) photos.longPoll('changes', { size: 100, since: 0 });
find('newest').append(list);

photos.addListener('changesSuccess', ({ response, stale, age }) => {
  find('count').textContent = `${response.items.length} of ${response.total}`;
  // Without the server the worker answers with what it has stored.
  const asOf = clock(Date.now() - age * 1000);
  say('newest-note', stale ? `The server is out of reach. This is the list as it was at ${asOf}.` : '');
});
photos.addListener('changesError', ({ error }) => say('newest-note', `The list is behind: ${error.message}`));

/** The version makes the address new whenever the picture is; the app's worker keeps it among the owner's. */
function pictureOf({ id, version, owner }, size) {
  return `/api/photos/${id}/${size}.svg?of=${owner}&v=${version}`;
}

function frameNumber({ id }) {
  return String(id).padStart(2, '0');
}

// ---- The selected photo -----------------------------------------------------------------------------------------

// The selection is kept from model to model: a photo that is inserted above moves it, a photo that is deleted ends it.
controller.addEventListener('changeSelection', showPhoto);
store.addEventListener('changeModel', ({ old }) => {
  // The first rows: the newest of them is looked at first.
  if (old === null) controller.selection = controller.model.slice(0, 1);
  // The photo may be the same and have another title now.
  showPhoto();
});

function showPhoto() {
  const [photo] = controller.selection;
  const picture = find('photo-picture');
  picture.hidden = !photo;
  find('photo-title').textContent = photo ? photo.title : 'No photo is selected';
  find('photo-description').textContent = photo ? photo.description : 'Pick one from the list.';
  find('photo-edge').textContent = photo ? `Frame ${frameNumber(photo)}, ${day(photo.createdAt)}` : '';
  if (!photo) return;
  picture.src = pictureOf(photo, 'medium');
  picture.alt = `A drawn picture: ${photo.title}`;
}

// ---- The form ---------------------------------------------------------------------------------------------------

const form = find('new');
const FIELDS = ['title', 'description', 'palette'];

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (form.ariaBusy === 'true') return;
  form.ariaBusy = 'true';
  say('new-done', '');
  complain('', {});
  // The resource makes a form of a plain object, unless the Content-Type says JSON.
  photos.create(null, Object.fromEntries(new FormData(form)));
});

photos.addListener('createSuccess', ({ response }) => {
  form.ariaBusy = 'false';
  form.reset();
  // The list need not be told: the long-poll is answered by the same change.
  say('new-done', `“${response.title}” is frame ${frameNumber(response)}.`);
});

photos.addListener('createError', ({ error, response }) => {
  form.ariaBusy = 'false';
  const isOffline = error.code === 'offline' || error.code === 'network';
  const reason = isOffline ? 'There is no network. What you wrote stays here.' : error.message;
  // Where the server refuses, it says why: { detail, errors: { title: 'A photo needs a title.' } }.
  if (response?.errors) complain('', response.errors);
  else complain(response?.detail ?? reason, {});
});

/** Puts each complaint beside its field, and the keyboard into the first of them. */
function complain(problem, errors) {
  say('new-problem', problem);
  for (const name of FIELDS) {
    find(`error-${name}`).textContent = errors[name] ?? '';
    find(`field-${name}`).ariaInvalid = String(name in errors);
  }
  form.querySelector('[aria-invalid="true"]')?.focus();
}

// A <select> is a list like any other.
const palettes = new fw.io.rest.Resource({ get: { method: 'GET', url: '/api/palettes' } });
const choices = new fw.data.store.Rest(palettes, 'get', {
  // Rows are told apart by their `id`, which is an option's value, too.
  manipulateData: ({ items }) => items.map(({ name, label }) => ({ id: name, label })),
});
choices.bind('model', new fw.data.controller.List(null, find('field-palette'), 'label'), 'model');
palettes.get();

// ---- The numbers of the server ----------------------------------------------------------------------------------

// The other kind of resource: its handlers are given plain objects instead of events.
const server = new fw.bom.rest.Resource({ stats: { method: 'GET', url: '/api/stats' } });

server.on('statsSuccess', ({ id, action, status, changed, stale, response }) => {
  find('server-photos').textContent = response.photos;
  find('server-changes').textContent = response.changes;
  find('server-waiting').textContent = response.waiting;
  find('server-clock').textContent = clock(response.clock);
  showTold({ id, action, status, changed, stale });
  // A long-poll that is held says nothing: this is how one knows that the server is back.
  if (!stale) say('newest-note', '');
});
server.on('statsError', ({ id, action, status, error }) =>
  showTold({ id, action, status, error: error.code }),
);

// In the classic order of arguments: the interval comes first, and `true` asks at once.
if (isSignedIn) server.poll('stats', 1000, null, true);

let polls = true;
find('server-toggle').addEventListener('click', () => {
  polls = !polls;
  if (polls) server.restartPollByAction('stats');
  else server.stopPollByAction('stats');
  find('server').classList.toggle('still', !polls);
  find('server-toggle').textContent = polls ? 'Stop' : 'Go on';
  find('server-state').textContent = polls ? 'Asked every second.' : 'Not asked any more.';
});

function showTold(told) {
  const members = Object.entries(told).map(([name, value]) => `${name}:\u00a0${JSON.stringify(value)}`);
  find('server-told').textContent = `{ ${members.join(', ')} }`;
}
