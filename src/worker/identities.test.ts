import { describe, expect, test } from 'vitest';
import type { Identity } from '../shared/identity.ts';
import type { Reply } from '../shared/protocol.ts';
import { houseOf } from './house.fixture.ts';
import { every } from './loops/stage.fixture.ts';
import { FakeSystem, json, unreachable, until } from './platform/system.fixture.ts';
import { settle } from './platform/virtual-clock.fixture.ts';
import { Deferred } from './platform/waiting.ts';
import { IDBFactory } from './storage/indexeddb.fixture.ts';
import { submission, Tab } from './tab.fixture.ts';

/** A browser in which one worker instance follows the other; what is stored stays. */
class Browser {
  readonly indexedDB = new IDBFactory();
  world: FakeSystem = new FakeSystem();
  #receive: ConstructorParameters<typeof Tab>[0] = async () => {};
  #tabs = 0;

  constructor() {
    this.restart();
  }

  /** The worker dies, and another instance begins. */
  restart(): void {
    const { serve } = this.world;
    this.world = Object.assign(new FakeSystem(), { indexedDB: this.indexedDB });
    this.world.serve = serve;
    this.world.grant();
    const house = houseOf(this.world);
    this.#receive = (source, envelope) => house.receive(source, envelope);
  }

  open(): IdentityTab {
    this.#tabs += 1;
    return new IdentityTab((...message) => this.#receive(...message), `client ${this.#tabs}`);
  }

  get databases(): Promise<string[]> {
    return this.indexedDB.databases().then((all) => all.map(({ name = '' }) => name).toSorted());
  }
}

/** A tab that knows who is signed in as a page does. */
class IdentityTab extends Tab {
  get epoch(): number {
    return this.heard.at(-1)?.epoch ?? 0;
  }

  get heard(): Identity[] {
    return this.deliveries.flatMap((each) => (each.kind === 'identity' ? [each.identity] : []));
  }

  async signIn(name: string): Promise<Identity> {
    this.meet();
    return identityIn(await this.remote.control({ kind: 'sign-in', name }));
  }

  async signOut(): Promise<Identity> {
    this.meet();
    return identityIn(await this.remote.control({ kind: 'sign-out', pendingWrites: 'keep' }));
  }

  /** Makes a call, and resolves with how it ended: with a value, or a code. */
  async ask(id: number, epoch: number = this.epoch, wish = {}): Promise<unknown> {
    this.meet();
    const receipt = this.submitAll([{ ...submission(id, wish), epoch }]);
    await until(() => this.settled.includes(id) || this.deliveries.length < 0);
    await receipt;
    return this.endOf(id);
  }

  endOf(id: number): unknown {
    const settled = this.deliveries.find((each) => each.kind === 'settled' && each.id === id);
    if (settled?.kind !== 'settled') return null;
    const { outcome } = settled;
    if (outcome.kind === 'failed') return outcome.failure.code;
    const { body } = outcome.answer;
    if (body.kind === 'json') return JSON.parse(body.text);
    return 'value' in body ? body.value : body.kind;
  }
}

function identityIn(reply: Reply): Identity {
  if (reply.kind !== 'identity') throw new Error(`This says nothing of an identity: ${reply.kind}`);
  return reply.identity;
}

describe('who signs in', () => {
  test('is told to every page, and named by no database', async () => {
    const browser = new Browser();
    const [one, two] = [browser.open(), browser.open()];
    two.meet();
    const identity = await one.signIn('anna@example.com');
    expect(identity).toMatchObject({ name: 'anna@example.com', isSignedIn: true });
    await until(() => one.heard.length === 1 && two.heard.length === 1);
    expect([...one.heard, ...two.heard]).toEqual([identity, identity]);
    await one.ask(1);
    expect((await browser.databases).join()).not.toContain('anna');
  });

  test('is the same user as before where the name is: nothing ends, and nobody is told', async () => {
    const browser = new Browser();
    const tab = browser.open();
    const first = await tab.signIn('anna');
    expect(await tab.signIn('anna')).toEqual(first);
    await until(() => tab.heard.length === 1);
    await settle();
    expect(tab.heard).toHaveLength(1);
  });
});

describe('an answer of one user', () => {
  test('is not served to the next one, nor to nobody, not even without a network', async () => {
    const browser = new Browser();
    const tab = browser.open();
    browser.world.serve = () => json({ of: 'nobody' });
    expect(await tab.ask(1, 0)).toEqual({ of: 'nobody' });
    await tab.signIn('anna');
    browser.world.serve = () => json({ of: 'anna' }, { ETag: '"v"' });
    await until(() => tab.heard.length === 1);
    expect(await tab.ask(2)).toEqual({ of: 'anna' });
    await tab.signIn('bob');
    await until(() => tab.heard.length === 2);
    browser.world.serve = unreachable;
    expect(await tab.ask(3)).toBe('network');
    await tab.signOut();
    await until(() => tab.heard.length === 3);
    expect(await tab.ask(4)).toBe('network');
    expect(browser.world.requests.at(-1)?.headers.has('if-none-match')).toBe(false);
  });

  test('is gone from the disk once the sign-out is done', async () => {
    const browser = new Browser();
    const tab = browser.open();
    browser.world.serve = () => json({ of: 'anna' });
    await tab.signIn('anna');
    await until(() => tab.heard.length === 1);
    await tab.ask(1);
    const before = await browser.databases;
    expect(before).toHaveLength(2);
    await tab.signOut();
    expect(await browser.databases).toEqual(['offstage:/']);
  });

  test('is there again for the same user after the worker has died', async () => {
    const browser = new Browser();
    const tab = browser.open();
    browser.world.serve = () => json({ of: 'anna' });
    await tab.signIn('anna');
    await until(() => tab.heard.length === 1);
    await tab.ask(1);
    await settle();
    browser.restart();
    browser.world.serve = unreachable;
    const again = browser.open();
    await again.greet();
    const identity = await again.signIn('anna');
    expect(identity.epoch).toBe(tab.epoch);
    expect(await again.ask(1, identity.epoch)).toEqual({ of: 'anna' });
  });
});

describe('what is under way when users change', () => {
  test('ends: a call is not answered, its request is cut, and what comes late is not stored', async () => {
    const browser = new Browser();
    const tab = browser.open();
    await tab.signIn('anna');
    await until(() => tab.heard.length === 1);
    const answer = new Deferred<Response>();
    browser.world.serve = () => answer.promise;
    void tab.submitAll([{ ...submission(1), epoch: tab.epoch }]);
    await until(() => browser.world.requests.length === 1);
    await tab.signIn('bob');
    expect(browser.world.requests[0]?.init.signal?.aborted).toBe(true);
    answer.resolve(json({ of: 'anna' }));
    await settle();
    browser.world.serve = unreachable;
    await until(() => tab.heard.length === 2);
    expect(await tab.ask(2)).toBe('network');
    expect(tab.endOf(1)).toBeNull();
  });

  test('is refused where a page calls for the user before', async () => {
    const browser = new Browser();
    const tab = browser.open();
    const { epoch } = await tab.signIn('anna');
    await tab.signIn('bob');
    const receipt = await tab.remote.submit([{ ...submission(1), epoch }]);
    expect(receipt.refused).toMatchObject([{ id: 1, failure: { code: 'identity-changed' } }]);
    expect(browser.world.requests).toEqual([]);
  });

  test('a loop ends, and none begins for the user before', async () => {
    const browser = new Browser();
    const tab = browser.open();
    await tab.signIn('anna');
    await until(() => tab.heard.length === 1);
    const { epoch } = tab;
    const declaration = { ...submission(1), loop: 1, pace: every(1_000), firstIn: 0 };
    const declare = { kind: 'declare', epoch, declaration: withoutId(declaration) } as const;
    await tab.remote.control(declare);
    await until(() => tab.deliveries.some(({ kind }) => kind === 'tick'));
    await tab.signOut();
    await tab.remote.control(declare);
    const before = browser.world.requests.length;
    for (let second = 0; second < 3; second += 1) await browser.world.clock.advance(1_000);
    await settle();
    expect(browser.world.requests).toHaveLength(before);
  });
});

function withoutId<T extends { readonly id: number }>({ id: _id, ...rest }: T): Omit<T, 'id'> {
  return rest;
}

describe('a page that greets', () => {
  test('and has heard of nobody, in a browser that was signed in, gets nothing yet', async () => {
    const browser = new Browser();
    await browser.open().signIn('anna');
    browser.restart();
    const tab = browser.open();
    tab.wish = { loops: [] };
    const welcome = await tab.greet();
    expect(welcome).toMatchObject({ identity: { name: null, isSignedIn: true } });
    const { refused } = await tab.remote.submit([submission(1)]);
    expect(refused).toMatchObject([{ failure: { code: 'identity-changed' } }]);
  });

  test('and knows of an earlier user is told who is signed in, and all that it had ends', async () => {
    const browser = new Browser();
    const [frozen, other] = [browser.open(), browser.open()];
    const { epoch } = await frozen.signIn('anna');
    await until(() => frozen.heard.length === 1);
    frozen.reachable = false;
    await other.signIn('bob');
    await until(() => other.heard.length === 1);
    frozen.reachable = true;
    frozen.wish = { identity: { name: 'anna', epoch }, calls: [1] };
    const welcome = await frozen.greet();
    expect(welcome).toMatchObject({ taken: [], identity: { name: 'bob', isSignedIn: true } });
  });

  test('and knows of a later user than the storage is believed: that was lost', async () => {
    const browser = new Browser();
    const tab = browser.open();
    tab.wish = { identity: { name: 'anna', epoch: 7 } };
    expect(await tab.greet()).toMatchObject({ identity: { name: 'anna', isSignedIn: true, epoch: 7 } });
    const other = browser.open();
    other.wish = { identity: { name: 'bob', epoch: 5 } };
    expect(await other.greet()).toMatchObject({ identity: { name: 'anna', epoch: 7 } });
  });
});

test('where nothing can be stored, users are kept apart all the same', async () => {
  const browser = new Browser();
  Object.assign(browser, { indexedDB: null });
  browser.restart();
  const tab = browser.open();
  browser.world.serve = () => json({ of: 'anna' });
  await tab.signIn('anna');
  await until(() => tab.heard.length === 1);
  expect(await tab.ask(1)).toEqual({ of: 'anna' });
  await tab.signIn('bob');
  await until(() => tab.heard.length === 2);
  browser.world.serve = unreachable;
  expect(await tab.ask(2)).toBe('network');
});
