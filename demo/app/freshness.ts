import type { Connection } from 'offstage';
import { duration } from './amount.ts';
import { announce } from './announce.ts';
import type { CollectionState } from './collection.ts';
import { fill, find, say } from './element.ts';

type Freshness = 'connecting' | 'live' | 'offline' | 'stale' | 'trouble' | 'unavailable';

/** Says at the top how far the sheet can be trusted, and says it aloud when that changes. */
export class FreshnessMark {
  readonly #connection: Connection;
  readonly #badge = find('#freshness', HTMLElement);
  readonly #note = find('#stale-note', HTMLElement);
  #state: CollectionState | null = null;
  #shown: Freshness = 'connecting';

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.addEventListener('status', () => this.#render());
    addEventListener('online', () => this.#render());
    addEventListener('offline', () => this.#render());
    // What is stale gets older by the second.
    setInterval(() => this.#render(), 1_000);
  }

  render(state: CollectionState): void {
    this.#state = state;
    this.#render();
  }

  #render(): void {
    const state = this.#state;
    if (!state) return;
    const freshness = judge(state, this.#connection.status);
    if (!state.begun) return this.#rest(freshness);
    const age = state.loaded ? duration(Date.now() - state.confirmedAt) : '';
    this.#badge.dataset['state'] = freshness;
    fill(this.#badge, { text: badgeOf(freshness, state.stale ? age : '') });
    say(this.#note, noteOf(freshness, state, age));
    if (freshness !== this.#shown) this.#announce(freshness, age);
    this.#shown = freshness;
  }

  /** There is no sheet to say anything of. */
  #rest(freshness: Freshness): void {
    this.#badge.dataset['state'] = freshness;
    fill(this.#badge, { text: badgeOf(freshness, '') });
    say(this.#note, null);
    this.#shown = 'connecting';
  }

  #announce(freshness: Freshness, age: string): void {
    if (freshness === 'live' && this.#shown === 'connecting') return;
    announce(freshness === 'live' ? 'The sheet is up to date.' : badgeOf(freshness, age));
  }
}

function judge(state: CollectionState, status: Connection['status']): Freshness {
  if (status === 'unavailable') return 'unavailable';
  const code = state.error?.code;
  if (!navigator.onLine || code === 'offline') return 'offline';
  if (state.stale) return 'stale';
  if (state.error) return 'trouble';
  return state.loaded ? 'live' : 'connecting';
}

function badgeOf(freshness: Freshness, age: string): string {
  const old = age === '' ? '' : `, ${age} old`;
  switch (freshness) {
    case 'connecting':
      return 'Connecting';
    case 'live':
      return 'Live';
    case 'offline':
      return `Offline${old}`;
    case 'stale':
      return `Stale${old}`;
    case 'trouble':
      return 'Server trouble';
    case 'unavailable':
      return 'No worker';
    default:
      return unknown(freshness);
  }
}

/** The compiler sees that it is never called. */
function unknown(state: never): string {
  return String(state);
}

function noteOf(freshness: Freshness, state: CollectionState, age: string): string | null {
  switch (freshness) {
    case 'offline':
      return state.stale
        ? `No network. This is what the server said ${age} ago: stale, and waiting to be replaced.`
        : 'No network. What you change is shown at once, and sent by itself when the network is back.';
    case 'stale':
      return `The server is out of reach. This is what it said ${age} ago: stale, and waiting to be replaced.`;
    case 'trouble':
      return state.error ? `The server is in trouble: ${state.error.message}` : null;
    case 'unavailable':
      return 'This browser lets no service worker run here, and without one there is nothing backstage.';
    default:
      return null;
  }
}
