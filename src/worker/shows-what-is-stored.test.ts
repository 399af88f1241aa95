import { expect, test } from 'vitest';
import type { Reply } from '../shared/protocol.ts';
import { houseOf } from './house.fixture.ts';
import { FakeSystem, json, until } from './platform/system.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

const URL = 'https://page.example/photo';

function browser(): { readonly system: FakeSystem; readonly open: (client: string) => Tab } {
  const system = new FakeSystem();
  system.grant();
  const house = houseOf(system);
  return { system, open: (client) => new Tab((...message) => house.receive(...message), client) };
}

async function signIn(tab: Tab, name: string): Promise<number> {
  tab.meet();
  const reply = await tab.remote.control({ kind: 'sign-in', name });
  if (reply.kind !== 'identity') throw new Error(reply.kind);
  return reply.identity.epoch;
}

async function ask(tab: Tab, id: number, epoch: number): Promise<void> {
  const receipt = tab.submitAll([{ ...submission(id), epoch }]);
  await until(() => tab.settled.includes(id));
  await receipt;
}

function urlsIn(reply: Reply): string[] {
  return reply.kind === 'stored-page' ? reply.page.entries.map(({ url }) => url) : [reply.kind];
}

test('a page sees what is stored for its own identity alone, and removes nothing of another', async () => {
  const { system, open } = browser();
  system.serve = () => json({ of: 'ada' });
  const tab = open('client 1');
  const ada = await signIn(tab, 'ada');
  await ask(tab, 1, ada);
  const list = async (epoch: number): Promise<string[]> =>
    urlsIn(await tab.remote.control({ kind: 'list-stored', after: null, epoch }));
  const read = (epoch: number): Promise<Reply> =>
    tab.remote.control({ kind: 'read-stored', url: URL, epoch });
  expect(await list(ada)).toEqual([URL]);
  expect(await read(ada)).toMatchObject({ answer: { status: 200 } });
  for (const other of [ada - 1, ada + 1]) {
    await tab.remote.control({ kind: 'remove-stored', url: URL, epoch: other });
    expect(await list(other)).toEqual([]);
    expect(await read(other)).toMatchObject({ answer: null });
  }
  expect(await list(ada)).toEqual([URL]);
  const bert = await signIn(tab, 'bert');
  expect(await list(bert)).toEqual([]);
  expect(await list(ada)).toEqual([]);
});

test('the next identity goes with credentials that were given for it, not with those of the one before', async () => {
  const { system, open } = browser();
  const tab = open('client 1');
  let given = 0;
  tab.wish = { provides: ['https://page.example'] };
  tab.listener = (delivery) => {
    if (delivery.kind !== 'credentials-wanted') return;
    given += 1;
    const headers = [['Authorization', `token ${given}`]] as const;
    const reply = { kind: 'given', headers, expiresAt: null } as const;
    void tab.remote.control({ kind: 'credentials', question: delivery.question, reply });
  };
  await ask(tab, 1, await signIn(tab, 'ada'));
  await ask(tab, 2, await signIn(tab, 'bert'));
  const sent = system.requests.map(({ headers }) => headers.get('authorization'));
  expect(sent).toEqual(['token 1', 'token 2']);
});
