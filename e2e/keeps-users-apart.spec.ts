import type { Page } from '@playwright/test';
import { snippet } from './guide.ts';
import { serveUsers } from './server/users.ts';
import { expect, test } from './test.ts';

/** What an app hears before it is told who is signed in now, in any order. */
const FORGOTTEN = ['model null', 'query null', 'window null'];

/** What the page was told and shown while it took that user to be signed in. */
async function heardAs(tab: Page, name: string | null): Promise<readonly string[]> {
  const all = await tab.evaluate(() => window.users.HEARD);
  return all.filter(({ as }) => as === name).map(({ by, what }) => `${by} ${JSON.stringify(what)}`);
}

/** The app is open in a tab, and its user has everything that there is. */
async function use(tab: Page, name: string): Promise<void> {
  await tab.evaluate(async (user) => {
    window.users.open();
    await window.users.signIn(user);
  }, name);
  await has(tab, name);
}

/** Waits until the page shows what belongs to this user, in each way. */
async function has(tab: Page, name: string): Promise<void> {
  await tab.evaluate(() => window.users.ask('get'));
  for (const by of ['get', 'model', 'live', 'rows', 'window', 'feed', 'query'])
    await expect
      .poll(async () =>
        (await heardAs(tab, name)).some((each) => each.startsWith(`${by} `) && each.includes(`"${name}"`)),
      )
      .toBe(true);
}

test.describe('when another user signs in', () => {
  test('in one tab, all tabs are told, and nothing of the first is told, shown or stored any more', async ({
    page,
    openTab,
    server,
  }) => {
    serveUsers(server);
    const other = await openTab();
    await use(page, 'anna');
    await use(other, 'anna');
    const [annas] = [(await page.evaluate(() => window.users.stored())).names];
    const waiting = other.evaluate(() => Promise.all([window.users.ask('hold'), window.users.ask('save')]));
    await expect.poll(() => server.journal.open('/hold').length).toBe(2);

    await page.evaluate(() => window.users.signIn('bob'));
    expect(await waiting).toEqual(['identity-changed', 'identity-changed']);
    server.release('mine', '{"of":"anna"}');
    for (const tab of [page, other]) {
      await has(tab, 'bob');
      const heard = await heardAs(tab, 'bob');
      expect(heard.filter((each) => each.includes('anna'))).toEqual([]);
      const ends = heard.filter((each) => each.endsWith('"identity-changed"'));
      const ofLoops = ['feed', 'live', 'rows'].map((loop) => `${loop} "identity-changed"`);
      expect(ends).toEqual(expect.arrayContaining(ofLoops));
      const told = heard.indexOf('identity "bob"');
      expect(
        heard
          .slice(0, told)
          .filter((each) => !ends.includes(each))
          .toSorted(),
      ).toEqual(FORGOTTEN);
    }
    const { names, text } = await page.evaluate(() => window.users.stored());
    expect(text).not.toContain('anna');
    expect(text).toContain('bob');
    expect(names.filter((each) => annas.includes(each))).toEqual(['offstage:/']);
    expect(names).toHaveLength(2);
  });

  test('nothing of the first is served without a network', async ({ page, server }) => {
    serveUsers(server);
    await use(page, 'anna');
    await server.down();
    await page.evaluate(() => window.users.signIn('bob'));
    expect(await page.evaluate(() => window.users.ask('get'))).toBe('network');
    expect(await page.evaluate(() => window.users.ask('stored'))).toBe('offline');
    expect(await page.evaluate(() => window.users.app().store.model)).toBeNull();
    expect((await heardAs(page, 'bob')).filter((each) => each.includes('anna'))).toEqual([]);
    await server.up();
  });
});

test('the same user goes on with what is stored after the worker has died and the page is loaded again', async ({
  page,
  server,
  stopWorkers,
}) => {
  serveUsers(server);
  await use(page, 'anna');
  await stopWorkers();
  await page.reload();
  server.on('GET /mine', ({ response }) => void response.destroy());
  const held = page.evaluate(() => {
    window.users.open();
    return window.users.ask('get');
  });
  await page.evaluate(() => window.users.signIn('anna'));
  expect(await held).toEqual({ of: 'anna', path: '/mine' });
});

test('after a sign-out nothing is left, in any tab', async ({ page, openTab, server }) => {
  serveUsers(server);
  const other = await openTab();
  await use(page, 'anna');
  await use(other, 'anna');
  await page.evaluate(() => window.users.signOut());
  for (const tab of [page, other]) {
    await expect.poll(() => tab.evaluate(() => window.users.app().connection.identity)).toBeNull();
    await expect.poll(async () => (await heardAs(tab, null)).at(-1)).toContain('nobody');
    expect(await tab.evaluate(() => window.users.ask('get'))).toMatchObject({ of: 'nobody' });
  }
  const { text } = await page.evaluate(() => window.users.stored());
  expect(text).not.toContain('anna');
});

test('where two tabs sign in different users at once, the last one counts in both', async ({
  page,
  openTab,
  server,
}) => {
  serveUsers(server);
  const tabs = [page, await openTab()] as const;
  for (const tab of tabs) await tab.evaluate(() => window.users.open());
  for (let round = 0; round < 10; round += 1) {
    const names = [`anna${round}`, `bob${round}`] as const;
    await Promise.all(
      tabs.map((tab, nth) => tab.evaluate((user) => window.users.signIn(user), names[nth] ?? '')),
    );
    const identities = (): Promise<(string | null)[]> =>
      Promise.all(tabs.map((tab) => tab.evaluate(() => window.users.app().connection.identity)));
    await expect.poll(async () => new Set(await identities()).size).toBe(1);
    const [winner] = await identities();
    expect(names).toContain(winner);
    await page.evaluate((user) => (document.cookie = `user=${user}; path=/`), winner);
    for (const tab of tabs) {
      expect(await tab.evaluate(() => window.users.ask('get'))).toMatchObject({ path: '/mine' });
      expect(await heardAs(tab, winner ?? null)).toContain(`identity "${winner}"`);
    }
    expect((await page.evaluate(() => window.users.stored())).names).toHaveLength(2);
  }
});

test('the samples of the guide sign in and out, and tell every tab', async ({ page, openTab, server }) => {
  serveUsers(server);
  const other = await openTab();
  const [signing, hearing] = [
    await snippet('signing-in.md', 'connection.signIn(user.id)'),
    await snippet('signing-in.md', "addEventListener('identity'"),
  ];
  for (const tab of [page, other]) {
    // A script in a page has no import map for the bare name.
    const code = signing.replace(
      "import { connect } from 'offstage';",
      'const { connect } = window.offstage;',
    );
    const content = `${code}\n${hearing}\nObject.assign(window, { signIn, signOut });`;
    await tab.addScriptTag({ type: 'module', content });
    await tab.waitForFunction(() => 'signOut' in window);
  }
  await page.evaluate(() => Object(window).signIn({ id: 'anna' }));
  for (const tab of [page, other]) await expect(tab).toHaveTitle('anna');
  await other.evaluate(() => Object(window).signOut());
  for (const tab of [page, other]) await expect(tab).toHaveTitle('Nobody');
});
