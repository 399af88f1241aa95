import type { OutboxEntry } from 'offstage';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { EditorPorts } from './editor.ts';
import { FakePage, turns } from './element.fixture.ts';

const page = new FakePage();

/** What was sent, asked of the outbox or shown, in order. */
const asked: unknown[] = [];

/** What waits, as any tab would be told. */
let waits: readonly OutboxEntry[];

/** Tells what has become of the change that the outbox was asked for. */
let answer: (error?: Error) => void;

vi.mock('./element.ts', () => page.module);
vi.mock('./announce.ts', () => ({ announce: () => {} }));
vi.mock('./route.ts', () => ({ addressOf: () => '', go: ({ view }: { view: string }) => asked.push(view) }));
vi.mock('./resources.ts', () => ({
  photos: {
    get: () => 1,
    result: () => Promise.resolve(null),
    create: () => asked.push('create'),
    update: ({ id }: { readonly id: number }) => asked.push(`update ${id}`),
  },
}));

const { Editor } = await import('./editor.ts');
const { readWrite } = await import('./outbox/waiting-write.ts');

const ENTRY: OutboxEntry = {
  id: 'one',
  resource: 'photos',
  action: 'update',
  params: { id: 7 },
  data: { title: 'Dawn' },
  state: 'queued',
  attempts: 0,
  failure: null,
  queuedAt: 0,
  lane: 'photo 7',
  key: 'key',
  temporaryId: null,
};

const outbox = {
  edit: (entry: unknown) => {
    asked.push(entry);
    return new Promise<void>((resolve, reject) => {
      answer = (error) => (error ? reject(error) : resolve());
    });
  },
};

const open = (entry: string): unknown => asked.push(`open ${entry}`);

const load = (): Promise<unknown> => Promise.resolve(waits.map((entry) => readWrite(entry)));

function newEditor(known?: object): InstanceType<typeof Editor> {
  // Its answer may take two seconds.
  const waiting = { outbox, load, before: () => null, settle: () => new Promise(() => {}) };
  const collection = { find: () => known };
  return new Editor(portsOf({ waiting, collection, palettes: { choices: () => [] }, open }));
}

/** What the editor uses of its ports. */
function portsOf(fakes: object): EditorPorts;
function portsOf(fakes: object): object {
  return fakes;
}

async function send(): Promise<void> {
  page.do('editor', 'submit');
  await turns();
}

beforeEach(() => {
  page.clear();
  asked.length = 0;
  waits = [];
  vi.stubGlobal(
    'FormData',
    class {
      get = (): string => 'Dusk';
    },
  );
});

// Test files share their globals.
afterEach(() => {
  vi.unstubAllGlobals();
});

test('a form that is sent again before its answer is there, as by Enter, makes one photo', async () => {
  await newEditor().create(null);
  await send();
  await send();
  expect(asked).toEqual(['create']);
});

test('what waits is changed as the form has shown it', async () => {
  waits = [ENTRY];
  await newEditor().edit(7);
  await send();
  expect(asked).toEqual([ENTRY]);
  answer();
  await turns();
  expect(asked).toEqual([ENTRY, 'photo']);
});

test('what is typed before all is known stays, and the fields that nobody has touched are filled in', async () => {
  waits = [{ ...ENTRY, data: { title: 'Dawn', description: 'Early', palette: 'dusk', seed: '4' } }];
  const opened = newEditor({ title: 'First light', description: '', palette: 'dusk', seed: 4 }).edit(7);
  page.at('[name="title"]').value = 'Typed';
  await opened;
  const [title, description] = ['title', 'description'].map((name) => page.at(`[name="${name}"]`).value);
  expect([title, description]).toEqual(['Typed', 'Early']);
});

test('what is saved before it is known what waits takes the place of that', async () => {
  waits = [ENTRY];
  void newEditor().edit(7);
  await send();
  expect(asked).toEqual([ENTRY]);
});

test.each<[string, readonly OutboxEntry[], OutboxEntry]>([
  ['another tab has changed it', [ENTRY], { ...ENTRY, key: 'other', data: { title: 'Theirs' } }],
  ['its server has another version', [ENTRY], { ...ENTRY, state: 'conflict' }],
  ['another tab has changed the photo', [], ENTRY],
])('what the form has not shown is shown before it is replaced: %s', async (_case, before, now) => {
  waits = before;
  await newEditor().edit(7);
  waits = [now];
  await send();
  expect(asked).toEqual(['open one']);
  expect(page.at('problem').text).toContain('Save again');
  await send();
  expect(asked).toEqual(['open one', now]);
});

test('so is what somebody has decided in the very moment', async () => {
  const conflict: OutboxEntry = { ...ENTRY, state: 'conflict' };
  waits = [conflict];
  await newEditor().edit(7);
  await send();
  answer(new Error('Somebody has decided about it since'));
  await turns();
  expect(asked).toEqual([conflict, 'open one']);
});

test('a change that its server may have is followed by another, of the same photo whatever is opened meanwhile', async () => {
  waits = [ENTRY];
  const editor = newEditor();
  await editor.edit(7);
  await send();
  await editor.edit(8);
  answer(new Error('Its server may have it'));
  await turns();
  expect(asked).toEqual([ENTRY, 'update 7']);
});
