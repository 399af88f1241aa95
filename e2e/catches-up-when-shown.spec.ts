import type { JSHandle, Page } from '@playwright/test';
import { send, sendJson } from './server/exchange.ts';
import { expect, test } from './test.ts';

const INTERVAL = 200;
const ROWS = 1_000;

/** What a tab has heard of the list. */
interface Following {
  /** The version in each response. */
  readonly versions: readonly number[];
  /** Of each response, how many rows are the very objects of the one before. */
  readonly kept: readonly number[];
  /** How often the worker has told it of an answer, and how often without its body. */
  readonly told: { ticks: number; unsent: number };
  /** Resolves when the worker has heard all that this tab has said, and the tab what the worker told it till then. */
  readonly heard: () => Promise<unknown>;
}

test('a hidden tab is told once that a list has changed, and has the newest as soon as it is shown', async ({
  page,
  openTab,
  server,
}) => {
  let version = 0;
  server.on('GET /rows', (exchange) =>
    sendJson(exchange, [
      { version },
      ...Array.from({ length: ROWS }, (_, id) => ({ id, title: `Photo ${id}` })),
    ]),
  );
  server.on('GET /now', (exchange) => sendJson(exchange, {}));
  const [one, two] = [await follow(page), await follow(await openTab())];
  await expect.poll(() => two.evaluate(({ versions }) => versions)).toEqual([0]);
  await seem(two, 'hidden');
  await two.evaluate(({ heard }) => heard());
  const before = await two.evaluate(({ told }) => told.ticks);
  for (version = 1; version < 4; version += 1) {
    await expect.poll(() => one.evaluate(({ versions }) => versions.at(-1))).toBe(version);
  }
  await expect.poll(() => one.evaluate(({ versions }) => versions.at(-1))).toBe(4);
  expect(await two.evaluate(({ versions }) => versions.at(-1))).toBe(0);
  expect(await two.evaluate(({ told }) => told)).toEqual({ ticks: before + 1, unsent: 1 });
  await seem(two, 'visible');
  await expect.poll(() => two.evaluate(({ versions }) => versions.at(-1))).toBe(4);
  expect(await two.evaluate(({ versions }) => versions.filter((each) => each > 0 && each < 4))).toEqual([]);
  expect(await two.evaluate(({ kept }) => Math.min(...kept.slice(1)))).toBe(ROWS);
});

test('the bytes of an answer go from the worker to the page, which leaves the worker none of them', async ({
  page,
  context,
  server,
}) => {
  const bytes = Buffer.alloc(1_000_000, 7);
  server.on('GET /bytes', (exchange) =>
    send(exchange, 200, bytes, { 'Content-Type': 'application/octet-stream' }),
  );
  const worker = context.serviceWorkers().at(-1) ?? (await context.waitForEvent('serviceworker'));
  const left = await worker.evaluateHandle(() => {
    const lengths: number[] = [];
    const { prototype }: { prototype: Posting } = Reflect.get(globalThis, 'Client');
    const { postMessage } = prototype;
    prototype.postMessage = function post(message, transfer = []) {
      postMessage.call(this, message, transfer);
      lengths.push(...transfer.map(({ byteLength }) => byteLength));
    };
    return lengths;
  });
  const size = await page.evaluate(async () => {
    const photo = new window.offstage.Resource({ get: { method: 'GET', url: '/bytes' } });
    const answer: unknown = await photo.result(photo.invoke('get'));
    return answer instanceof Blob ? answer.size : null;
  });
  expect(size).toBe(bytes.length);
  expect(await left.jsonValue()).toEqual([0]);
});

/** A client as the worker posts to it. */
interface Posting {
  postMessage: (this: unknown, message: unknown, transfer?: readonly ArrayBuffer[]) => void;
}

function follow(page: Page): Promise<JSHandle<Following>> {
  return page.evaluateHandle((interval) => {
    const { Resource } = window.offstage;
    const response = Resource.type<{ readonly version?: number }[]>();
    const photo = new Resource({
      list: { method: 'GET', url: '/rows', response },
      now: { method: 'GET', url: '/now' },
    });
    const [versions, counts]: [number[], number[]] = [[], []];
    const told = { ticks: 0, unsent: 0 };
    const { kept } = window.witness;
    window.witness.overhear((data) => {
      const text = JSON.stringify(data);
      if (text.includes('"tick"')) told.ticks += 1;
      if (text.includes('"unsent"')) told.unsent += 1;
    });
    let last: unknown = null;
    photo.addListener('listSuccess', (event) => {
      const version = event.response[0]?.version ?? -1;
      if (versions.at(-1) !== version) {
        versions.push(version);
        counts.push(kept(last, event.response));
      }
      last = event.response;
    });
    photo.poll('list', {}, { interval });
    return { versions, kept: counts, told, heard: () => photo.result(photo.invoke('now')) };
  }, INTERVAL);
}

/** Has a tab believe that it is seen, or that it is not. */
async function seem(following: JSHandle<Following>, state: 'hidden' | 'visible'): Promise<void> {
  await following.evaluate((_following, each) => {
    Object.defineProperty(document, 'visibilityState', { value: each, configurable: true });
    Object.defineProperty(document, 'hidden', { value: each === 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }, state);
}
