import { describe, expect, test } from 'vitest';
import { json, unreachable } from '../../worker/platform/system.fixture.ts';
import type { Session } from '../session/session.ts';
import { World } from '../session/world.fixture.ts';
import { ResourceCore } from './core.ts';
import { FakeLink, SILENT } from './link.fixture.ts';
import type { Notice } from './notice.ts';

/** A page with one resource. Its server answers with the user whose turn it is. */
class Page {
  readonly session: Session;
  readonly notices: Notice[] = [];
  readonly core: ResourceCore;

  constructor(world: World, client: string) {
    const { settings, nextId, records, outbox, pending } = new FakeLink();
    this.session = world.session(`session of ${client}`, client, records);
    const link = { settings, nextId, records, outbox, pending, session: this.session };
    this.core = new ResourceCore('', {
      name: '',
      link: () => link,
      documentUrl: () => 'https://page.example/',
      notify: (notice) => this.notices.push(notice),
      interest: () => SILENT,
      hears: () => true,
    });
    this.core.actions.map('get', 'GET', '/photo', {}, {});
    this.core.actions.map('put', 'PUT', '/photo', {}, {});
  }

  get identity(): string | null {
    return this.session.signing.identity.name;
  }

  /** The response of each success, and the code of all else. */
  get told(): unknown[] {
    return this.notices
      .filter(({ type }) => type === 'success' || type === 'error')
      .map(({ response, error }) => error?.code ?? response);
  }

  get(): number {
    return this.core.invoke('get', {}, null, {});
  }

  put(): number {
    return this.core.invoke('put', {}, 'mine', {});
  }

  signIn(name: string): Promise<void> {
    return this.session.signing.sign(name, { kind: 'sign-in', name });
  }

  signOut(): Promise<void> {
    return this.session.signing.sign(null, { kind: 'sign-out', pendingWrites: 'keep' });
  }
}

class Stage {
  readonly world = new World();
  /** Whose cookie the browser sends. */
  cookie = 'nobody';

  constructor() {
    this.world.system.serve = () => json(this.cookie);
  }

  open(client = 'page'): Page {
    return new Page(this.world, client);
  }

  async pass(milliseconds = 500): Promise<void> {
    await this.world.pass(milliseconds);
  }

  async signIn(page: Page, name: string): Promise<void> {
    const done = page.signIn(name);
    await this.pass();
    await done;
    this.cookie = name;
  }
}

describe('an app that never signs in', () => {
  test('never waits, and its worker’s death changes nothing', async () => {
    const stage = new Stage();
    const page = stage.open();
    page.get();
    await stage.pass();
    await stage.world.kill();
    page.get();
    await stage.pass();
    expect([page.told, page.identity]).toEqual([['nobody', 'nobody'], null]);
  });
});

describe('a sign-in', () => {
  test('is known in every page, whose calls go on for that user', async () => {
    const stage = new Stage();
    const [one, two] = [stage.open('one'), stage.open('two')];
    two.get();
    await stage.pass();
    await stage.signIn(one, 'anna');
    expect([one.identity, two.identity]).toEqual(['anna', 'anna']);
    one.get();
    two.get();
    await stage.pass();
    expect([one.told, two.told]).toEqual([['anna'], ['nobody', 'anna']]);
  });

  test('holds what is called after it, and ends what was called before it', async () => {
    const stage = new Stage();
    const page = stage.open();
    await stage.signIn(page, 'anna');
    stage.world.system.serve = () => new Promise(() => {});
    page.put();
    await stage.pass();
    stage.world.system.serve = () => json('bob');
    const done = page.signIn('bob');
    page.get();
    await stage.pass();
    await done;
    expect(page.told).toEqual(['identity-changed', 'bob']);
  });

  test('leaves nothing to ask for: no result, no last call to repeat', async () => {
    const stage = new Stage();
    const page = stage.open();
    await stage.signIn(page, 'anna');
    const id = page.get();
    await stage.pass();
    expect(await page.core.result(id)).toBe('anna');
    await stage.signIn(page, 'bob');
    await expect(page.core.result(id)).rejects.toMatchObject({ code: 'unknown-invocation' });
    expect(page.core.refresh('get')).toBeNull();
  });

  test('ends loops, in every page', async () => {
    const stage = new Stage();
    const [one, two] = [stage.open('one'), stage.open('two')];
    two.get();
    await stage.pass();
    await stage.signIn(one, 'anna');
    for (const { core } of [one, two]) core.poll('get', {}, { interval: 1_000 });
    await stage.pass();
    await stage.signIn(two, 'bob');
    expect(await stage.world.asked(5_000)).toEqual([]);
    expect([one.told.at(-1), two.told.at(-1)]).toEqual(['identity-changed', 'identity-changed']);
    one.core.poll('get', {}, { interval: 1_000 });
    await stage.pass();
    expect(one.told.at(-1)).toBe('bob');
  });

  test('under the same name continues: nothing ends, and no request is made twice', async () => {
    const stage = new Stage();
    const page = stage.open();
    await stage.signIn(page, 'anna');
    page.core.poll('get', {}, { interval: 60_000 });
    await stage.pass();
    const before = stage.world.system.requests.length;
    await stage.signIn(page, 'anna');
    expect(page.told).toEqual(['anna']);
    expect(stage.world.system.requests).toHaveLength(before);
  });

  test('of two pages at once lets the last one win, in both', async () => {
    const stage = new Stage();
    const [one, two] = [stage.open('one'), stage.open('two')];
    one.get();
    two.get();
    await stage.pass();
    const both = Promise.all([one.signIn('anna'), two.signIn('bob')]);
    await stage.pass(1_000);
    await both;
    expect([one.identity, two.identity]).toEqual(['bob', 'bob']);
  });
});

describe('a page that starts in a browser that was signed in', () => {
  test('waits for the app’s word; the same user then finds what was stored', async () => {
    const stage = new Stage();
    const first = stage.open('first');
    await stage.signIn(first, 'anna');
    first.get();
    await stage.pass();
    await stage.world.kill();
    stage.world.system.serve = unreachable;
    const page = stage.open('second');
    page.get();
    page.core.poll('get', {}, { interval: 1_000 });
    expect(await stage.world.asked(3_000)).toEqual([]);
    expect([page.told, page.identity]).toEqual([[], null]);
    await stage.signIn(page, 'anna');
    expect([page.identity, new Set(page.told)]).toEqual(['anna', new Set(['anna'])]);
  });

  test('gets nothing of that user after another one has signed in, or nobody', async () => {
    const stage = new Stage();
    const first = stage.open('first');
    await stage.signIn(first, 'anna');
    first.get();
    await stage.pass();
    await stage.world.kill();
    stage.world.system.serve = unreachable;
    const page = stage.open('second');
    page.get();
    const done = page.signOut();
    await stage.pass();
    await done;
    expect([page.told, page.identity]).toEqual([['network'], null]);
    // The first page hears of it when it next says anything.
    first.get();
    await stage.pass();
    expect([first.identity, first.told.at(-1)]).toEqual([null, 'identity-changed']);
  });
});

test('a page that comes back from the page cache hears first that another user has come', async () => {
  const stage = new Stage();
  const [away, other] = [stage.open('away'), stage.open('other')];
  await stage.signIn(away, 'anna');
  away.core.poll('get', {}, { interval: 1_000 });
  await stage.pass();
  away.session.presence.leave();
  stage.world.setAway(true, 'away');
  await stage.signIn(other, 'bob');
  other.get();
  await stage.pass(5_000);
  const before = away.told.length;
  stage.world.setAway(false, 'away');
  away.session.presence.show();
  await stage.pass();
  expect([away.identity, away.told.slice(before)]).toEqual(['bob', ['identity-changed']]);
});

test('what a page calls before it hears of another user is never sent as that user’s', async () => {
  const stage = new Stage();
  const [away, other] = [stage.open('away'), stage.open('other')];
  await stage.signIn(away, 'anna');
  away.core.poll('get', {}, { interval: 60_000 });
  await stage.pass();
  away.session.presence.leave();
  stage.world.setAway(true, 'away');
  await stage.signIn(other, 'bob');
  const before = stage.world.system.requests.length;
  stage.world.setAway(false, 'away');
  away.session.presence.show();
  away.get();
  away.put();
  await stage.pass();
  expect(away.told.slice(-3)).toEqual(['identity-changed', 'identity-changed', 'identity-changed']);
  expect(stage.world.system.requests.slice(before)).toEqual([]);
  away.get();
  await stage.pass();
  expect(away.told.at(-1)).toBe('bob');
});
