import type { Page } from '@playwright/test';

/** One answer of a `_changes` feed, as a page was told it. */
export interface Told {
  readonly results: readonly { readonly seq: number; readonly id: string }[];
  readonly last_seq: number;
}

const KEY = 'told';

/**
 * Follows the changes for as long as the page lives, with one request more each time it is called. What is told is
 * written down in the tab's own storage before anything else can happen, so that a reload loses none of it.
 */
export function follow(page: Page, url: string, timeout?: number): Promise<void> {
  return page.evaluate(
    ([key, template, watchdog]) => {
      const lives: unknown[][] = JSON.parse(sessionStorage.getItem(key) ?? '[]');
      const told: unknown[] = [];
      lives.push(told);
      const resource = new window.offstage.Resource({ changes: { method: 'GET', url: template } });
      resource.addListener('changesSuccess', ({ response }) => {
        told.push(response);
        sessionStorage.setItem(key, JSON.stringify(lives));
      });
      resource.addListener('changesError', (event) => {
        throw new Error(`The feed was told of a failure: ${String(event.error)}`);
      });
      resource.longPoll('changes', null, {
        cursor: { from: { body: '/last_seq' }, to: { query: 'since' }, initial: 0 },
        wait: { query: 'timeout', value: 25_000 },
        ...(watchdog === null ? {} : { timeout: watchdog }),
      });
    },
    [KEY, url, timeout ?? null] as const,
  );
}

/** What each life of a tab was told, the present one last. */
export function livesOf(page: Page): Promise<Told[][]> {
  return page.evaluate((key) => JSON.parse(sessionStorage.getItem(key) ?? '[]'), KEY);
}

/** The place that the present life of a tab has come to; 0 where it was told nothing yet. */
export async function placeOf(page: Page): Promise<number> {
  const lives = await livesOf(page);
  return lives.at(-1)?.at(-1)?.last_seq ?? 0;
}

export function changesOf(told: readonly Told[]): Told['results'] {
  return told.flatMap(({ results }) => results);
}
