import type { Loop, RestEvent } from 'offstage';
import type { OwnPart } from './account.ts';
import { clock, moment, plural } from './amount.ts';
import { announce } from './announce.ts';
import { isNews } from './change.ts';
import type { Change, ChangeKind, News } from './change.ts';
import { fill, find, say, stamp } from './element.ts';
import { news, onServerAnswer } from './resources.ts';
import { addressOf } from './route.ts';

const ROWS = 50;

/** So many changes at once are read out one by one. */
const READ_OUT = 3;

const WORDS: Readonly<Record<ChangeKind, string>> = {
  created: 'added',
  updated: 'changed',
  deleted: 'deleted',
};

/**
 * What happened to the collection, the newest first, whoever did it. The feed brings every change once and in order; the
 * numbers keep apart what the latest changes, with which it begins, and the feed both tell.
 */
export class LiveList implements OwnPart {
  readonly #list = find('#live', HTMLOListElement);
  readonly #note = find('#live-note', HTMLElement);
  readonly #empty = find('#live-empty', HTMLElement);
  #origin: string | null = null;
  #changes: readonly Change[] = [];
  /** Whether what is shown may lack something: asked in vain, and not made up for yet. */
  #behind = false;
  #feed: Loop | null = null;

  constructor() {
    news.addListener('latestSuccess', (event) => this.#take(event));
    news.addListener('feedSuccess', (event) => this.#hear(event));
    news.addListener('error', ({ status, error }) => {
      this.#fall(`behind: ${status > 0 ? `status ${status}` : (error?.code ?? 'failed')}`);
    });
    // The log does not go on from where the feed was; the latest changes come next.
    news.addListener('reset', () => this.#clear());
    onServerAnswer(() => this.#catchUp());
  }

  begin(): void {
    const cursor = { from: { body: '/last' }, to: { query: 'since' }, catchUp: 'latest' } as const;
    this.#feed = news.longPoll('feed', {}, { cursor, wait: { prefer: 25 } });
  }

  end(): void {
    this.#feed?.stop();
    this.#feed = this.#origin = null;
    this.#behind = false;
    this.#clear();
    this.#empty.hidden = false;
    say(this.#note, null);
  }

  #take({ response, stale, age }: RestEvent): void {
    if (!this.#feed || !isNews(response)) return;
    this.#merge(response);
    this.#behind = false;
    if (stale) this.#fall(`as of ${clock(Date.now() - age * 1_000)}`);
    else say(this.#note, null);
  }

  #hear({ response }: RestEvent): void {
    if (!this.#feed || !isNews(response)) return;
    this.#merge(response);
    announce(summaryOf(response.changes));
  }

  #fall(note: string): void {
    if (!this.#feed) return;
    this.#behind = true;
    say(this.#note, note);
  }

  /** What was missed without the server is among the latest changes. */
  #catchUp(): void {
    if (!this.#behind) return;
    this.#behind = false;
    news.latest();
  }

  #merge({ origin, changes }: News): void {
    // The numbers of another database mean something else.
    if (origin !== this.#origin) this.#clear();
    this.#origin = origin;
    const byNumber = new Map([...this.#changes, ...changes].map((change) => [change.n, change]));
    this.#changes = [...byNumber.values()].toSorted((one, other) => other.n - one.n).slice(0, ROWS);
    this.#render();
  }

  #clear(): void {
    this.#changes = [];
    this.#list.replaceChildren();
  }

  /** A row stays the same element, so that whoever reads it or stands on its link is let be. */
  #render(): void {
    this.#changes.forEach((change, index) => {
      const there = this.#list.children[index];
      if (there?.getAttribute('data-n') === String(change.n)) return;
      this.#list.insertBefore(rowOf(change), there ?? null);
    });
    while (this.#list.children.length > this.#changes.length) this.#list.lastElementChild?.remove();
    this.#empty.hidden = this.#changes.length > 0;
  }
}

function rowOf({ n, kind, id, title, at }: Change): HTMLLIElement {
  const row = stamp('change', HTMLLIElement);
  row.dataset['n'] = String(n);
  row.dataset['kind'] = kind;
  find('time', HTMLTimeElement, row).dateTime = at;
  fill(row, { time: moment(at), title, kind: WORDS[kind] });
  if (kind !== 'deleted') find('a', HTMLAnchorElement, row).href = addressOf({ view: 'photo', id });
  return row;
}

function summaryOf(changes: readonly Change[]): string {
  if (changes.length > READ_OUT) return `${plural(changes.length, 'change')} in the collection.`;
  return changes.map(({ kind, title }) => `${title} was ${WORDS[kind]}.`).join(' ');
}
