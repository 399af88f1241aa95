import type { Frame, Page } from '@playwright/test';
import { sandbox } from '../hosts.ts';
import { send } from '../server/exchange.ts';
import type { FixtureServer } from '../server/fixture-server.ts';
import { readPage } from '../server/pages.ts';
import { UNTRUSTED } from './stage.ts';

/** One way in which a page comes to have no service worker. */
export interface Way {
  readonly name: string;
  /** The worker's script that an app there names. */
  readonly script: string;
  /** Opens a document of that kind in the tab. */
  open(tab: Page, server: FixtureServer): Promise<Page | Frame>;
  /** What has to hold in that document: a way that is none would let the row pass for nothing. */
  readonly holds: () => boolean;
}

const SCRIPT = '/service-worker.js';
const POLICED = '/policed';

export const WAYS: readonly Way[] = [
  {
    name: 'sandboxed',
    script: SCRIPT,
    open: async (tab, server) => {
      await tab.goto(server.url);
      return sandbox(tab);
    },
    holds: () => origin === 'null',
  },
  {
    // Neither locks, nor crypto.subtle and crypto.randomUUID, beside no service workers.
    name: 'untrusted',
    script: SCRIPT,
    open: (tab, server) => at(tab, server.url.replace('127.0.0.1', UNTRUSTED)),
    holds: () =>
      !isSecureContext && !('locks' in navigator) && !('subtle' in crypto) && !('randomUUID' in crypto),
  },
  {
    name: 'missing',
    script: '/nowhere/service-worker.js',
    open: (tab, server) => at(tab, server.url),
    holds: () => 'serviceWorker' in navigator,
  },
  {
    name: 'forbidden',
    script: SCRIPT,
    open: (tab, server) => at(tab, server.url + POLICED),
    holds: () => 'serviceWorker' in navigator,
  },
];

/** Has the server give out the test page once more, under a policy that forbids workers. */
export async function servePoliced(server: FixtureServer): Promise<void> {
  const page = await readPage('/');
  if (!page) throw new Error('There is no test page');
  const headers = { ...page.headers, 'Content-Security-Policy': "worker-src 'none'" };
  server.on(`GET ${POLICED}`, (exchange) => send(exchange, 200, page.body, headers));
}

async function at(tab: Page, url: string): Promise<Page> {
  await tab.goto(url);
  return tab;
}
