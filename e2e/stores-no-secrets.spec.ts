import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { sendJson } from './server/exchange.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { filesLeftBy, isIn } from './stored-files.ts';
import { expect, test } from './test.ts';

/** Texts that occur nowhere else, and that no compression of the database hides. */
interface Canaries {
  readonly token: string;
  readonly key: string;
  /** What the credentials provider gives. */
  readonly provided: string;
  /** Of who is signed in. */
  readonly name: string;
  /** In an answer that must not be stored. */
  readonly unstored: string;
  /** In answers that may be stored: of calls, a poll, and a feed. */
  readonly stored: string;
  /** In the URL of an answer that is stored. */
  readonly path: string;
}

function canaries(): Canaries {
  return {
    token: canary(),
    key: canary(),
    provided: canary(),
    name: `Zoë ${canary()}`,
    unstored: canary(),
    stored: canary(),
    path: canary(),
  };
}

function canary(): string {
  return randomBytes(20).toString('hex');
}

/** Serves what may be stored and what must not be, in answers to calls, polls and long-polls. */
function serve(server: FixtureServer, { stored, unstored, path, token }: Canaries): void {
  for (const [name, { text, cacheControl }] of Object.entries({
    open: { text: stored, cacheControl: 'max-age=600' },
    closed: { text: unstored, cacheControl: 'no-store' },
  })) {
    const headers = { 'Cache-Control': cacheControl, 'Set-Cookie': `session=${token}`, 'X-Api-Key': token };
    server.on(`GET /${name}`, (exchange) => sendJson(exchange, { text }, headers));
    server.on(`GET /${name}-feed`, (exchange) => {
      const since = Number(exchange.url.searchParams.get('since') ?? 0);
      if (since < 5) sendJson(exchange, { last: since + 1, text: `${text} ${since}` }, headers);
      else exchange.response.on('close', () => {});
    });
  }
  server.on(`GET /${path}`, (exchange) =>
    sendJson(exchange, { text: stored }, { 'Cache-Control': 'max-age=600' }),
  );
}

/** Calls, polls and follows feeds with secrets, signed in and then not, until all is stored. */
async function play(page: Page, given: Canaries & { readonly encrypt: boolean }): Promise<void> {
  await page.evaluate(async ({ token, key, provided, name, path, encrypt }) => {
    const { connect, Resource } = window.offstage;
    const connection = connect({ encrypt, secretHeaders: ['X-Api-Key'] });
    connection.credentials(() => ({ headers: { 'X-Provided': provided } }));
    const source = new Resource({
      open: { method: 'GET', url: '/open' },
      closed: { method: 'GET', url: '/closed' },
      named: { method: 'GET', url: `/${path}` },
      openFeed: { method: 'GET', url: '/open-feed' },
      closedFeed: { method: 'GET', url: '/closed-feed' },
      post: { method: 'POST', url: '/echo' },
    });
    source.configureRequest((request) => {
      request.setRequestHeader('Authorization', `Bearer ${token}`);
      request.setRequestHeader('X-Api-Key', key);
    });
    const heard = { open: 0, closed: 0, openFeed: 0, closedFeed: 0 };
    for (const action of ['open', 'closed', 'openFeed', 'closedFeed'] as const)
      source.addListener(`${action}Success`, () => (heard[action] += 1));
    const session = async (): Promise<void> => {
      Object.assign(heard, { open: 0, closed: 0, openFeed: 0, closedFeed: 0 });
      await Promise.all([source.named(), source.post({}, { token })].map((id) => source.result(id)));
      source.poll('open', {}, { interval: 200 });
      source.poll('closed', {}, { interval: 200 });
      const cursor = { from: { body: '/last' }, to: { query: 'since' }, initial: '0' } as const;
      source.longPoll('openFeed', {}, { cursor });
      source.longPoll('closedFeed', {}, { cursor });
      const isOver = async (): Promise<boolean> => {
        const { cache } = await connection.inspect();
        return Object.values(heard).every((times) => times >= 3) && (cache.entries ?? 0) >= 2;
      };
      while (!(await isOver())) await new Promise((resolve) => setTimeout(resolve, 50));
      // A write behind the answers may still be under way.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    };
    await connection.signIn(name);
    await session();
    await connection.signOut();
    await session();
  }, given);
}

test.describe('on the disk there is', () => {
  for (const encrypt of [false, true]) {
    test(`no secret and no answer with no-store, ${encrypt ? 'nor anything that can be read' : 'when not encrypted'}`, async ({
      server,
      launchOptions: { executablePath = '' },
    }) => {
      const texts = canaries();
      serve(server, texts);
      const files = await filesLeftBy(executablePath, server.url, (page) =>
        play(page, { ...texts, encrypt }),
      );
      for (const name of ['token', 'key', 'provided', 'name', 'unstored'] as const)
        expect(isIn(files, texts[name]), name).toBe(false);
      // Otherwise the search would find nothing, whatever is there.
      for (const name of ['stored', 'path'] as const) expect(isIn(files, texts[name]), name).toBe(!encrypt);
      expect(isIn(files, 'offstage:'), 'the database').toBe(true);
    });
  }
});
