import { vi } from 'vitest';
import type { Answered } from '../../shared/outcome.ts';
import type { WriteReport } from '../../shared/outbox.ts';
import { QueueingPage } from '../outbox/queueing-page.fixture.ts';
import { WRITE } from '../outbox/write.fixture.ts';
import type { Query } from '../queries/query.ts';
import type { DeclareOptions, Description } from '../resource/action.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { appendRow, changeRow, removeRow } from './rows.ts';

export interface Photo {
  readonly id: number | string;
  readonly title: string;
}

interface Described extends Description {
  readonly list: { readonly method: 'GET'; readonly url: '/photos{?page}' };
  readonly create: { readonly method: 'POST'; readonly url: '/photos' } & DeclareOptions;
  readonly rename: { readonly method: 'PATCH'; readonly url: '/photos/{id}' } & DeclareOptions;
  readonly remove: { readonly method: 'DELETE'; readonly url: '/photos/{id}' } & DeclareOptions;
  readonly like: { readonly method: 'POST'; readonly url: '/photos/{id}/likes' } & DeclareOptions;
}

const DESCRIPTION: Described = {
  list: { method: 'GET', url: '/photos{?page}' },
  create: {
    method: 'POST',
    url: '/photos',
    offline: 'queue',
    creates: '/id',
    optimistic: { list: appendRow },
  },
  rename: { method: 'PATCH', url: '/photos/{id}', offline: 'queue', optimistic: { list: changeRow } },
  remove: { method: 'DELETE', url: '/photos/{id}', offline: 'queue', optimistic: { list: removeRow } },
  like: {
    method: 'POST',
    url: '/photos/{id}/likes',
    optimistic: { list: changeRow },
  },
};

export type Photos = ResourceOf<Described>;

/** When the fake server's first answer was asked for; each later one a second after it. */
const BEGIN = 1_000_000;

/** A page of nobody that shows a list of photos, and changes them, a while after the beginning. Its worker does what a test says. */
export class OptimisticPage extends QueueingPage {
  readonly resource: Photos = this.open();
  #place = 0;

  constructor() {
    super();
    this.host.life.identity = { name: null, epoch: 2, isSignedIn: false };
    vi.setSystemTime(this.at(1_000));
  }

  open(): Photos {
    return new Resource(DESCRIPTION, { connection: this.connection, name: 'photos' });
  }

  /** Time in milliseconds of the epoch, so many seconds after the beginning. */
  at(seconds: number): number {
    return BEGIN + seconds * 1_000;
  }

  /** Answers the call of the list that was made last, as it was asked for at that second. */
  async list(rows: readonly object[], second: number, wish: Partial<Answered> = {}): Promise<void> {
    await flush();
    const asked = this.host.life.submitted.findLast(({ invocation }) => invocation.method === 'GET');
    await this.answer(asked?.id ?? 0, answered(rows, { asOf: this.at(second), ...wish }));
  }

  /** How often the list was asked for. */
  async asked(): Promise<number> {
    await flush();
    return this.host.life.submitted.filter(({ invocation }) => invocation.method === 'GET').length;
  }

  /** The write of the call that was made last, as the worker tells it. */
  async last(wish: Partial<WriteReport> = {}): Promise<WriteReport> {
    await flush();
    const { ticket, invocation } = this.host.life.submitted.findLast((each) => each.ticket) ?? {};
    if (!ticket || !invocation) throw new Error('It is not queued');
    const { params, headers, body } = invocation;
    const { creates, ...known } = ticket;
    this.#place += 1;
    const made = {
      ...WRITE,
      ...known,
      temporaryId: creates?.temporaryId ?? null,
      place: this.#place,
      isShown: true,
    };
    return { ...made, params, headers, body, ...wish };
  }
}

/** The titles of the rows that a query shows. */
export function titles(query: Query): readonly string[] | null {
  const { data } = query.snapshot;
  return Array.isArray(data) ? data.map(({ title }: Photo) => title) : null;
}

/** What becomes of a write at that time. */
export function done(write: WriteReport, endedAt: number, givenId: number | null = null): WriteReport {
  const answer = { status: 200, headers: [], body: { kind: 'value', value: { id: givenId } } } as const;
  return { ...write, state: 'done', body: null, attempts: 1, answer, endedAt, givenId };
}
