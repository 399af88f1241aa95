import { RestError } from 'offstage';
import type { OutboxEntry } from 'offstage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakePage, turns } from '../element.fixture.ts';
import type { CardPorts } from './card.ts';

const page = new FakePage();

/** What was asked of the outbox and of the server, in order. */
const asked: unknown[] = [];

/** What was said to the user. */
const said: string[] = [];

/** Ends what the disk is asked for. */
let stored: () => void;

vi.mock('../element.ts', () => page.module);
vi.mock('../announce.ts', () => ({ announce: (text: string) => said.push(text) }));
vi.mock('../confirm.ts', () => ({
  confirm: (_title: string, text: string) => Promise.resolve(said.push(text) > 0),
}));
vi.mock('./versions.ts', () => ({ paintChanges: () => {}, paintPicture: () => {}, paintVersions: () => {} }));
vi.mock('../resources.ts', () => ({
  photos: {
    get: ({ id }: { readonly id: number }) => `get ${id}`,
    create: () => 'create',
    result: (call: string) => {
      asked.push(call);
      return call === 'create' ? new Promise<void>((resolve) => (stored = resolve)) : Promise.resolve(null);
    },
  },
}));

const { Card } = await import('./card.ts');
const { readWrite } = await import('./waiting-write.ts');

const DATA = { title: 'Dawn', description: '', palette: 'dawn', seed: '3' };

function entryOf(more: Partial<OutboxEntry>): OutboxEntry {
  const known = { id: 'one', resource: 'photos', action: 'update', params: { id: 7 }, data: DATA } as const;
  const state = { state: 'queued', attempts: 0, failure: null, queuedAt: 0 } as const;
  return { ...known, ...state, lane: 'photo 7', key: 'key', temporaryId: null, ...more };
}

const edit = (): unknown => asked.push('edit');

/** What happens while a change is being discarded. */
let meanwhile: () => void;

/** Shows a change as it was, and then as it became. */
function show(...entries: readonly OutboxEntry[]): InstanceType<typeof Card> {
  const writes = entries.map((entry) => readWrite(entry)).filter((write) => write !== null);
  const [first] = writes;
  if (!first) throw new Error('It is no change');
  const outbox = {
    retry: () =>
      Promise.reject(new RestError({ code: 'outbox', message: `Somebody has decided about 'one'` })),
    discard: async (id: string) => {
      asked.push(`discard ${id}`);
      meanwhile();
    },
    edit: (entry: unknown) => Promise.resolve(void asked.push(entry)),
  };
  const none = { before: () => null, currentOf: () => null, nameOf: () => '', saidOf: () => null };
  const waiting = { outbox, load: () => Promise.resolve([]), ...none };
  const card = new Card(first, portsOf({ waiting, palettes: { coloursOf: () => [] }, edit }));
  for (const write of writes) card.render(write, null);
  return card;
}

/** What a card uses of its ports. */
function portsOf(fakes: object): CardPorts;
function portsOf(fakes: object): object {
  return fakes;
}

beforeEach(() => {
  page.clear();
  meanwhile = () => {};
  asked.length = said.length = 0;
  vi.stubGlobal('navigator', { onLine: true });
});

// Test files share their globals.
afterEach(() => {
  vi.unstubAllGlobals();
});

test('"Keep mine" is about the conflict that is shown, and not about what the change was before', async () => {
  const conflict = entryOf({ state: 'conflict', attempts: 1 });
  show(entryOf({}), conflict);
  page.do('mine', 'click');
  await turns();
  expect(asked).toEqual(['get 7', conflict]);
});

test('each conflict asks for the version that the server has by then', async () => {
  const conflict = entryOf({ state: 'conflict', attempts: 1 });
  show(conflict, conflict, entryOf({ key: 'other' }), { ...conflict, key: 'other' });
  await turns();
  expect(asked).toEqual(['get 7', 'get 7']);
});

test('one decision is made at a time: "Add as new" that is pressed twice adds one photo', async () => {
  const failure = { code: 'http', status: 404, message: 'It is gone', body: null } as const;
  show(entryOf({ state: 'review', attempts: 1, failure }));
  for (const button of ['retry', 'retry', 'discard', 'edit']) page.do(button, 'click');
  await turns();
  expect(asked).toEqual(['create']);
  stored();
  await turns();
  expect(asked).toEqual(['create', 'discard one']);
  page.do('edit', 'click');
  expect(asked).toEqual(['create', 'discard one', 'edit']);
});

test('what another tab has decided meanwhile is said in words for the user', async () => {
  show(entryOf({}));
  page.do('retry', 'click');
  await turns();
  expect(page.at('problem').text).toBe('This has changed meanwhile, as in another tab: look at it again.');
});

test.each<[string, OutboxEntry, readonly string[]]>([
  [
    'was never sent',
    entryOf({}),
    ['Edit of “Dawn” is never sent, and cannot be had back.', 'Discarded: Edit of “Dawn”.'],
  ],
  [
    'is on its way',
    entryOf({ state: 'sending', attempts: 1 }),
    [
      'Edit of “Dawn” may be on the server all the same. It is not sent again, and cannot be had back.',
      'Discarded: Edit of “Dawn”. It may be on the server all the same.',
    ],
  ],
])('what is said of a change that is discarded is true where it %s', async (_case, entry, texts) => {
  show(entry);
  page.do('discard', 'click');
  await turns();
  expect(said).toEqual(texts);
});

test('and where it begins to be sent as it is discarded', async () => {
  const card = show(entryOf({}));
  const sending = readWrite(entryOf({ state: 'sending', attempts: 1 }));
  meanwhile = () => sending && card.render(sending, null);
  page.do('discard', 'click');
  await turns();
  expect(said.at(-1)).toBe('Discarded: Edit of “Dawn”. It may be on the server all the same.');
});
