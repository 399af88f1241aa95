import { Line } from './line.ts';
import { chromiumProfile, firefoxProfile, hasFirefox } from './lives.ts';
import type { Life, Profile } from './lives.ts';
import { expect, test } from './test.ts';

/** What is done by hand in the demo, in whatever browser. */
class Photographer {
  readonly #life: Life;

  constructor(life: Life) {
    this.#life = life;
  }

  async signIn(): Promise<void> {
    await this.#click('#door .person');
    await this.#see('[data-state=live]#freshness');
    // The worker has the page in its hands, so that it opens without a network.
    await this.#life.run(async () => {
      const { serviceWorker } = navigator;
      if (serviceWorker.controller) return;
      await new Promise((resolve) => serviceWorker.addEventListener('controllerchange', resolve));
    }, null);
  }

  async create(title: string): Promise<void> {
    await this.#go('#/new');
    await this.#write(title);
  }

  /** Changes the photo that has that title. */
  async edit(before: string, title: string): Promise<void> {
    await this.#open(before);
    await this.#click('#viewer [data-part=edit]');
    await this.#write(title);
  }

  async remove(title: string): Promise<void> {
    await this.#open(title);
    await this.#click('#viewer [data-part=delete]');
    await this.#click('#confirm[open] [value=go]');
    await this.#see('body[data-view=collection]');
  }

  /** The number of the server's last change. */
  logNow(): Promise<string> {
    return this.#life.run(async () => (await (await fetch('/api/changes')).json()).last, null);
  }

  /** What the server has done since. */
  doneAfter(place: string): Promise<string[]> {
    return this.#life.run(async (since) => {
      const { changes } = await (await fetch(`/api/changes?wait=0&since=${since}`)).json();
      return changes.map(({ kind, title }: Record<string, string>) => `${kind} ${title}`);
    }, place);
  }

  /** Titles and marks of the first frames, and how many photos there are. */
  sheet(): Promise<string[]> {
    return this.#life.run(() => {
      const frames = [...document.querySelectorAll<HTMLElement>('#wall .frame')].slice(0, 2);
      const words = frames.map((frame) => {
        const [title, mark] = ['.frame-title', '.waiting-mark:not([hidden])'].map(
          (part) => frame.querySelector(part)?.textContent ?? '',
        );
        return mark === '' ? String(title) : `${title} (${mark})`;
      });
      return [...words, document.querySelector('#count')?.textContent ?? ''];
    }, null);
  }

  outbox(): Promise<string | null> {
    return this.#life.run(
      () => document.querySelector('#outbox-button')?.getAttribute('aria-label') ?? null,
      null,
    );
  }

  async #open(title: string): Promise<void> {
    await this.#go('#/');
    await this.#life.run((wanted) => {
      const titles = [...document.querySelectorAll('#wall .frame-title')];
      titles
        .find(({ textContent }) => textContent === wanted)
        ?.closest('a')
        ?.click();
    }, title);
    await this.#see('#viewer:not([hidden])');
  }

  async #write(title: string): Promise<void> {
    await this.#see('#editor .palette');
    await this.#life.run((text) => {
      const field = document.querySelector<HTMLInputElement>('#editor [name=title]');
      if (field) field.value = text;
    }, title);
    await this.#click('#editor [type=submit]');
    await this.#see('#editor[hidden]');
  }

  async #go(hash: string): Promise<void> {
    await this.#life.run((address) => {
      location.hash = address;
    }, hash);
  }

  async #click(selector: string): Promise<void> {
    await this.#see(selector);
    await this.#life.run((wanted) => document.querySelector<HTMLElement>(wanted)?.click(), selector);
  }

  async #see(selector: string): Promise<void> {
    const isThere = (): Promise<boolean> =>
      this.#life.run((wanted) => document.querySelector(wanted) !== null, selector);
    await expect.poll(isThere, { message: selector, timeout: 20_000 }).toBe(true);
  }
}

async function play(profile: Profile, line: Line): Promise<void> {
  const first = await profile.open(line.url, false);
  const mira = new Photographer(first);
  await mira.signIn();
  const place = await mira.logNow();
  const [newest = '', , count] = await mira.sheet();
  line.cut();
  await first.setOffline(true);
  await mira.create('Kept');
  await mira.create('Not kept');
  await mira.edit('Kept', 'Kept and edited');
  await mira.remove('Not kept');
  const shown = ['Kept and edited (New, waits)', newest, String(Number(count) + 1)];
  await expect.poll(() => mira.sheet()).toEqual(shown);
  await first.end();

  const later = await profile.open(line.url, true);
  const again = new Photographer(later);
  await expect.poll(() => again.sheet(), { timeout: 20_000 }).toEqual(shown);
  expect(await again.outbox()).toBe('Outbox: 4 changes wait.');
  line.mend();
  await later.setOffline(false);
  await expect.poll(() => again.outbox(), { timeout: 40_000 }).toBe('Outbox: Nothing waits.');
  await expect.poll(() => again.sheet()).toEqual(['Kept and edited', ...shown.slice(1)]);
  const done = await again.doneAfter(place);
  expect(done.toSorted()).toEqual([
    'created Kept',
    'created Not kept',
    'deleted Not kept',
    'updated Kept and edited',
  ]);
  await later.end();
}

test.describe('what waits in the demo, shown by a browser that was closed and opened again without a network', () => {
  test.describe.configure({ timeout: 180_000 });

  // Firefox where it is installed: `npm run test:engines` sees to that.
  for (const [name, makeProfile] of [
    ['Chromium', chromiumProfile] as const,
    ...(hasFirefox ? [['Firefox', firefoxProfile] as const] : []),
  ]) {
    test(`is done by the server exactly once, ${name}`, async ({ demo, launchOptions }) => {
      const line = await Line.to(demo.url);
      const profile = await makeProfile(launchOptions.executablePath);
      try {
        await play(profile, line);
      } finally {
        await profile.forget();
        line.end();
      }
    });
  }
});
