import type { BrowserContext, JSHandle, Page } from '@playwright/test';
import { hasten } from './haste.ts';
import { instanceOf, isWaiting, publish } from './releases.ts';
import type { FixtureServer } from './server/fixture-server.ts';
import { expect, test } from './test.ts';

/** Put before the worker's script: the lock of its life is granted half a second after it was asked for. */
const LATE_LOCK = `{
  const { request } = LockManager.prototype;
  LockManager.prototype.request = async function (name, ...rest) {
    if (name.startsWith('offstage:worker:')) await new Promise((resolve) => setTimeout(resolve, 500));
    return request.call(this, name, ...rest);
  };
}
`;

/**
 * Milliseconds that a worker is too busy to answer: longer than a page waits for one greeting, which is three seconds,
 * and shorter than it waits for two.
 */
const BUSY = 4_500;

const METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'];

/** How much faster the clock of a worker is that is to be replaced without a drain. */
const HASTE = 50;

/** So often a page calls with every method. */
const ROUNDS = 10;

/** Milliseconds within which a call settles although its worker is replaced under it: its timeout is far longer. */
const QUICK = 5_000;

test.describe('a page that comes first', () => {
  test.use({ page: async ({ context }, use) => use(await context.newPage()) });

  test('does not take a worker for dead that is granted its lock late', async ({
    page,
    server,
    stopWorkers,
  }) => {
    server.rewrite('/service-worker.js', (file) => LATE_LOCK + file);
    await load(page);
    const line = await tap(page);
    const told = await page.evaluateHandle(() => {
      const { connect, Resource } = window.offstage;
      const connection = connect({ serviceWorker: '/service-worker.js' });
      const statuses: string[] = [];
      connection.addEventListener('status', () => statuses.push(connection.status));
      const photo = new Resource({ live: { method: 'GET', url: '/etag' } });
      const heard = window.witness.record(photo, 'success', 'error');
      photo.poll('live', {}, { interval: 100 });
      return { statuses, heard };
    });
    const ticks = (): Promise<number> => told.evaluate(({ heard }) => heard.length);
    await expect.poll(ticks).toBeGreaterThan(3);
    await expect.poll(() => greetings(line)).toEqual({ greet: 1, declare: 0, instances: 1 });
    expect(await told.evaluate(({ statuses }) => statuses)).toEqual(['connected']);
    const instance = await instanceOf(page);

    await stopWorkers();
    const before = await ticks();
    await expect.poll(ticks, 'the next life is as late').toBeGreaterThan(before + 3);
    expect(await instanceOf(page)).not.toBe(instance);
    expect(await greetings(line)).toEqual({ greet: 2, declare: 0, instances: 2 });
    expect(await told.evaluate(({ statuses }) => statuses)).toEqual(['connected', 'connecting', 'connected']);
    expect(await told.evaluate(({ heard }) => heard.filter(({ code }) => code !== null))).toEqual([]);
  });
});

test('calls to a worker that was replaced without a drain settle at once, and have one effect', async ({
  page,
  context,
  openTab,
  server,
}) => {
  const late = await openTab();
  const before = await instanceOf(page);
  // A page that starts a loop has the worker hold an event for twenty seconds, and its successor wait.
  await hasten(context, HASTE);
  const loops = await Promise.all([page, late].map(startLoop));
  for (const each of loops) await expect.poll(() => ticksOf(each)).toBe(1);
  await publish(page, server);

  // One page calls at the first sign of it; the other, which stands still until then, before it can hear of anything.
  const calls = [callOnAndOn(page, 'update'), callOnAndOn(late, 'pause')];
  const goOn = await pauseOf(server);
  await page.evaluate(async () => {
    const { waiting } = await navigator.serviceWorker.ready;
    waiting?.postMessage({ type: 'SKIP_WAITING' }, []);
  });
  await expect.poll(() => isWaiting(page), { timeout: 10_000 }).toBe(false);
  goOn();
  const told = (await Promise.all(calls)).flat();
  expect(await instanceOf(page)).not.toBe(before);
  expect(await instanceOf(late)).toBe(await instanceOf(page));
  for (const each of loops) {
    await each.evaluate(({ loop }) => (loop.interval = 100));
    await expect.poll(() => ticksOf(each)).toBeGreaterThan(4);
    expect(await each.evaluate(({ heard }) => heard.filter(({ code }) => code !== null))).toEqual([]);
  }

  const requests = ({ key }: { readonly key: string }): number => server.journal.of(`/photo/${key}`).length;
  expect(told.filter(({ method, ending }) => !endingsOf(method).includes(ending))).toEqual([]);
  expect(told.filter(({ duration }) => duration > QUICK)).toEqual([]);
  expect(told.filter((each) => !mayResend(each.method) && requests(each) > 1)).toEqual([]);
  expect(told.filter((each) => each.ending === 'answered' && requests(each) === 0)).toEqual([]);
});

test.describe('a PUT that was made before its page knew of the worker’s death', () => {
  test.use({ page: async ({ context }, use) => use(await context.newPage()) });

  for (const teller of ['the lock', 'the next worker']) {
    test(`goes after one that is sent again, though ${teller} tells the page`, async ({
      page,
      server,
      stopWorkers,
    }) => {
      const puts = (): string[] => server.journal.of('/hold').map(({ body }) => body);
      const open = (): string[] => server.journal.open('/hold').map(({ body }) => body);
      await load(page);
      const locks = await withholdDeath(page);
      const photo = await page.evaluateHandle(async () => {
        const { connect, Resource } = window.offstage;
        await connect({ serviceWorker: '/service-worker.js' }).ready;
        return new Resource({
          put: { method: 'PUT', url: '/hold?key=put' },
          get: { method: 'GET', url: '/echo/after' },
        });
      });
      const first = photo.evaluate((it) => window.witness.ending(it.result(it.put({}, 'n=1'))));
      await expect.poll(open).toEqual(['n=1']);

      await stopWorkers();
      await expect.poll(open).toEqual([]);
      const second = photo.evaluateHandle(
        (it, tell) => {
          const ending = window.witness.ending(it.result(it.put({}, 'n=2')));
          tell?.();
          return { ending };
        },
        teller === 'the lock' ? await locks.evaluateHandle(({ tell }) => tell) : null,
      );
      await expect.poll(open).toEqual(['n=1']);
      // What was called later has been there and back.
      expect(await photo.evaluate((it) => it.result(it.get()))).toMatchObject({ url: '/echo/after' });
      expect(puts()).toEqual(['n=1', 'n=1']);

      server.release('put', '"one"');
      expect(await first).toEqual({ response: 'one' });
      await expect.poll(open).toEqual(['n=2']);
      server.release('put', '"two"');
      expect(await (await second).evaluate(({ ending }) => ending)).toEqual({ response: 'two' });
      expect(puts()).toEqual(['n=1', 'n=1', 'n=2']);
    });
  }
});

test('a worker that is too busy to answer is greeted again, and nothing is sent twice or lost', async ({
  page,
  context,
  server,
}) => {
  const fresh = await context.newPage();
  await load(fresh);
  const lines = [await tap(page), await tap(fresh)];
  const before = await instanceOf(page);
  const early = await page.evaluateHandle(() => {
    const photo = new window.offstage.Resource({ post: { method: 'POST', url: '/hold?key=early' } });
    return { ending: window.witness.ending(photo.result(photo.post({}, 'a=1'))) };
  });
  await expect.poll(() => server.journal.open('/hold').length).toBe(1);

  await keepBusy(context, server, BUSY);
  // It was frozen, say, and looks whether its worker is still there, right after it has posted calls to it.
  const late = await page.evaluateHandle(async (methods) => {
    const endings = methods.map((method) => {
      const photo = new window.offstage.Resource({ send: { method, url: `/photo/late-${method}` } });
      return window.witness.ending(photo.result(photo.send()));
    });
    await new Promise((resolve) => setTimeout(resolve));
    document.dispatchEvent(new Event('resume'));
    return { endings };
  }, METHODS);
  const first = await fresh.evaluateHandle((methods) => {
    const connection = window.offstage.connect({ serviceWorker: '/service-worker.js' });
    const endings = methods.map((method) => {
      const photo = new window.offstage.Resource({ send: { method, url: `/photo/first-${method}` } });
      return window.witness.ending(photo.result(photo.send()));
    });
    return { connection, endings };
  }, METHODS);

  for (const calls of [late, first]) {
    const endings = await calls.evaluate((each) => Promise.all(each.endings));
    expect(endings.filter(({ error }) => error !== undefined)).toEqual([]);
  }
  server.release('early', '"made"');
  expect(await early.evaluate(({ ending }) => ending)).toEqual({ response: 'made' });
  for (const line of lines) {
    const { greet, instances } = await greetings(line);
    expect(greet).toBeGreaterThan(1);
    expect(instances).toBe(1);
  }
  expect(await first.evaluate(({ connection }) => connection.host)).toBe('service-worker');
  expect(await instanceOf(page)).toBe(before);
  expect(await instanceOf(fresh)).toBe(before);
  const keys = METHODS.flatMap((method) => [`late-${method}`, `first-${method}`]);
  expect(keys.filter((key) => server.journal.of(`/photo/${key}`).length !== 1)).toEqual([]);
  expect(server.journal.of('/hold').length).toBe(1);
});

/** Opens the test page, which connects to nothing yet. */
async function load(page: Page): Promise<void> {
  await page.goto('/');
  await page.waitForFunction(() => 'offstage' in window);
}

interface Tapped {
  /** The names of the calls that the page has posted, or of the command where it is one. */
  readonly posted: string[];
  /** Who has answered its greetings. */
  readonly instances: string[];
}

/** Listens in on what passes between a page and its workers from now on. */
function tap(page: Page): Promise<JSHandle<Tapped>> {
  return page.evaluateHandle(() => {
    const posted: string[] = [];
    const instances: string[] = [];
    const post = Object(ServiceWorker.prototype).postMessage;
    ServiceWorker.prototype.postMessage = function (message: unknown, transfer: unknown): void {
      const { path, argumentList } = Object(Object(message).message);
      if (path) posted.push(path[0] === 'control' ? argumentList[0].value.kind : path[0]);
      Reflect.apply(post, this, [message, transfer]);
    };
    window.witness.overhear((data) => {
      const { value } = Object(Object(data).message);
      if (Object(value).kind === 'welcome') instances.push(value.instance);
    });
    return { posted, instances };
  });
}

/** How often a page has greeted and declared loops, and how many workers have answered. */
function greetings(
  line: JSHandle<Tapped>,
): Promise<{ readonly greet: number; readonly declare: number; readonly instances: number }> {
  return line.evaluate(({ posted, instances }) => {
    const count = (name: string): number => posted.filter((each) => each === name).length;
    return { greet: count('greet'), declare: count('declare'), instances: new Set(instances).size };
  });
}

/** Polls so slowly that the worker need not be kept for that. */
function startLoop(page: Page) {
  return page.evaluateHandle(() => {
    const live = new window.offstage.Resource({ live: { method: 'GET', url: '/etag' } });
    const heard = window.witness.record(live, 'success', 'error');
    return { heard, loop: live.poll('live', {}, { interval: 3_600_000 }) };
  });
}

function ticksOf(loop: JSHandle<{ readonly heard: readonly unknown[] }>): Promise<number> {
  return loop.evaluate(({ heard }) => heard.length);
}

/** Calls with every method, round after round, from the task on in which the page hears of an update or may go on. */
function callOnAndOn(page: Page, sign: 'update' | 'pause') {
  return page.evaluate(
    async ({ methods, from, rounds }) => {
      const { connect, Resource } = window.offstage;
      if (from === 'pause') {
        const pause = new XMLHttpRequest();
        pause.open('GET', '/pause', false);
        pause.send();
      } else {
        await new Promise((resolve) => connect().addEventListener('update', resolve, { once: true }));
      }
      const call = async (key: string, method: string) => {
        const madeAt = Date.now();
        const photo = new Resource({ send: { method, url: `/photo/${key}` } });
        const { code = 'answered' } = await window.witness.ending(photo.result(photo.send()));
        return { key, method, ending: code, duration: Date.now() - madeAt };
      };
      const told: Awaited<ReturnType<typeof call>>[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const calls = methods.map((method) => call(`${from}-${method}-${round}`, method));
        told.push(...(await Promise.all(calls)));
      }
      return told;
    },
    { methods: METHODS, from: sign, rounds: ROUNDS },
  );
}

/** How a call may end whose worker was replaced under it. */
function endingsOf(method: string): readonly string[] {
  return mayResend(method) ? ['answered'] : ['answered', 'worker-lost'];
}

function mayResend(method: string): boolean {
  return method !== 'POST' && method !== 'PATCH';
}

/** Resolves once `/pause` is asked for, with what answers it. */
function pauseOf(server: FixtureServer): Promise<() => void> {
  return new Promise((resolve) => {
    server.on('GET /pause', ({ response }) => resolve(() => response.end()));
  });
}

/** A page that will connect does not learn by the worker's lock that the worker is dead, until it is told to. */
function withholdDeath(page: Page): Promise<JSHandle<{ readonly tell: () => void }>> {
  return page.evaluateHandle(() => {
    const request = Object(LockManager.prototype).request;
    const told = new AbortController();
    const tell = (): void => told.abort();
    const knows = new Promise((resolve) => told.signal.addEventListener('abort', resolve));
    Object.assign(LockManager.prototype, {
      async request(this: LockManager, ...args: unknown[]): Promise<unknown> {
        const released = await Reflect.apply(request, this, args);
        await knows;
        return released;
      },
    });
    return { tell };
  });
}

/** Resolves once the worker has begun to do nothing but wait, for so many milliseconds. */
async function keepBusy(context: BrowserContext, server: FixtureServer, milliseconds: number): Promise<void> {
  const worker = context.serviceWorkers().at(-1);
  if (!worker) throw new Error('There is no worker to keep busy');
  void worker.evaluate((busy) => {
    void fetch('/echo/busy', { cache: 'no-store' });
    const end = performance.now() + busy;
    while (performance.now() < end);
  }, milliseconds);
  await expect.poll(() => server.journal.of('/echo/busy').length).toBe(1);
}
