import type { OutboxEntry } from 'offstage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakePage, turns } from './element.fixture.ts';
import type { ViewerPorts } from './viewer.ts';

const page = new FakePage();

/** What was asked, in order. */
const asked: unknown[] = [];

/** What was said to the user. */
const said: string[] = [];

let waits: readonly OutboxEntry[];

/** The server does not answer for two seconds. */
let giveUp: () => void;

/** Ends what the disk is asked for. */
let stored: () => void;

vi.mock('./element.ts', () => page.module);
vi.mock('./announce.ts', () => ({ announce: (text: string) => said.push(text) }));
vi.mock('./palettes.ts', () => ({ paintSwatches: () => {} }));
vi.mock('./outbox/waiting-mark.ts', () => ({ paintMark: () => {} }));
vi.mock('./confirm.ts', () => ({ confirm: () => Promise.resolve(asked.push('sure?')) }));
vi.mock('./route.ts', () => ({ addressOf: () => '', go: ({ view }: { view: string }) => asked.push(view) }));
vi.mock('./resources.ts', () => ({
  photos: {
    addListener: () => {},
    remove: () => asked.push('remove'),
    query: () => ({ subscribe: () => () => {}, snapshot: { data: PHOTO, error: null, servedFrom: null } }),
  },
}));

const { Viewer } = await import('./viewer.ts');
const { readWrite } = await import('./outbox/waiting-write.ts');

const PHOTO = { id: 7, title: 'Dusk', owner: 'mira' };

const REMOVE: OutboxEntry = {
  id: 'one',
  resource: 'photos',
  action: 'remove',
  params: { id: 7 },
  data: null,
  state: 'queued',
  attempts: 0,
  failure: null,
  queuedAt: 0,
  lane: 'photo 7',
  key: 'key',
  temporaryId: null,
};

const list = (): readonly unknown[] => waits.map((entry) => readWrite(entry));

const waiting = {
  of: list,
  load: () => Promise.resolve(list()),
  subscribe: () => {},
  settle: () => new Promise((resolve) => (giveUp = () => resolve({ kind: 'waits' }))),
  outbox: {
    discard: (id: string) => {
      asked.push(`discard ${id}`);
      return new Promise<void>((resolve) => {
        stored = resolve;
      });
    },
  },
};

/** What the viewer uses of its ports. */
function portsOf(fakes: object): ViewerPorts;
function portsOf(fakes: object): object {
  return fakes;
}

async function press(): Promise<void> {
  page.do('delete', 'click');
  await turns();
}

beforeEach(() => {
  page.clear();
  asked.length = said.length = 0;
  waits = [];
  vi.stubGlobal('document', { addEventListener: () => {} });
  const collection = { subscribe: () => {}, find: () => PHOTO, state: { rows: [] } };
  const palettes = { labelOf: () => '', coloursOf: () => [] };
  new Viewer(portsOf({ waiting, collection, palettes })).show(7);
});

// Test files share their globals.
afterEach(() => {
  vi.unstubAllGlobals();
});

test('a photo is deleted once, though "Delete" is pressed again before the server has answered', async () => {
  await press();
  await press();
  expect(asked).toEqual(['sure?', 'remove']);
  waits = [REMOVE];
  giveUp();
  await turns();
  expect(asked).toEqual(['sure?', 'remove', 'collection']);
});

test('it stays on the page where the delete is taken back meanwhile, once', async () => {
  await press();
  waits = [REMOVE];
  await press();
  await press();
  expect(asked).toEqual(['sure?', 'remove', 'discard one']);
  waits = [];
  stored();
  giveUp();
  await turns();
  expect(asked).toEqual(['sure?', 'remove', 'discard one']);
});

test.each<[string, Partial<OutboxEntry>, string]>([
  ['stays, where it was never sent', {}, 'The photo stays.'],
  [
    'may be deleted, where it is on its way',
    { state: 'sending', attempts: 1 },
    'The server may have deleted it all the same.',
  ],
])('a photo whose delete is taken back %s', async (_case, more, text) => {
  waits = [{ ...REMOVE, ...more }];
  await press();
  waits = [];
  stored();
  await turns();
  expect(said).toEqual([text]);
});

test('a photo whose delete began to be sent as it was taken back may be deleted', async () => {
  waits = [REMOVE];
  await press();
  waits = [{ ...REMOVE, state: 'sending', attempts: 1 }];
  stored();
  await turns();
  expect(said).toEqual(['The server may have deleted it all the same.']);
});
