import type { Frame, Page } from '@playwright/test';
import type { FixtureServer } from './server/fixture-server.ts';

/** Where the contract is held: both hosts, and a page that may have neither worker nor storage. */
export const PLACES = ['service-worker', 'page', 'sandboxed frame'] as const;
export type Place = (typeof PLACES)[number];

/** What connects there: a sandboxed frame finds out for itself. */
export function choiceAt(place: Place): 'auto' | 'service-worker' | 'page' {
  return place === 'sandboxed frame' ? 'auto' : place;
}

/** Opens a document in which the engine runs where it is said to, connected. */
export async function openAt(place: Place, page: Page, server: FixtureServer): Promise<Page | Frame> {
  await page.goto(server.url);
  const opened = place === 'sandboxed frame' ? await sandbox(page) : page;
  await opened.waitForFunction(() => 'offstage' in window);
  await opened.evaluate(async (choice) => {
    const connection = window.offstage.connect({ host: choice, timeout: 10_000 });
    await connection.ready;
  }, choiceAt(place));
  return opened;
}

/** A frame with an origin of its own: no service workers, no database, no locks. */
export async function sandbox(page: Page): Promise<Frame> {
  await page.evaluate(() => {
    const frame = document.createElement('iframe');
    frame.sandbox.add('allow-scripts');
    frame.src = '/';
    document.body.append(frame);
  });
  const handle = await page.waitForSelector('iframe');
  const frame = await handle.contentFrame();
  if (!frame) throw new Error('The frame has no document');
  return frame;
}
