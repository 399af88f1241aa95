import type { Outcome } from '../../shared/outcome.ts';
import { unanswered } from '../../shared/outcome.ts';
import type { Submission } from '../../shared/protocol.ts';
import { FakePage } from '../page.fixture.ts';
import type { StandardSchemaV1 } from '../../shared/standard-schema.ts';
import type { Description } from '../resource/action.ts';
import type { RequiredCheck } from '../resource/check.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { answered } from '../session/invocation.fixture.ts';
import { Connection } from '../connection/connection.ts';
import type { QueryRecords } from './records.ts';
import type { Query } from './query.ts';

interface Photo {
  readonly id: number;
  readonly title: string;
}

interface Described extends Description {
  readonly get: {
    readonly method: 'GET';
    readonly url: '/photo/{id}';
    readonly check: { readonly id: RequiredCheck };
    readonly response: StandardSchemaV1<unknown, Photo>;
  };
  readonly list: {
    readonly method: 'GET';
    readonly url: '/photos{?page}';
    readonly response: StandardSchemaV1<unknown, { readonly items: readonly Photo[] }>;
  };
}

const DESCRIPTION: Described = {
  get: {
    method: 'GET',
    url: '/photo/{id}',
    check: { id: Resource.REQUIRED },
    response: Resource.type<Photo>(),
  },
  list: { method: 'GET', url: '/photos{?page}', response: Resource.type() },
};

/** A page with a resource, whose worker does as the test says. */
export class QueryStage {
  readonly page: FakePage = new FakePage();
  readonly photo: ResourceOf<Described> = this.resource();

  resource(): ResourceOf<Described> {
    return new Resource(DESCRIPTION, { connection: this.page.connection });
  }

  /** All calls that have reached the worker. */
  async calls(): Promise<readonly Submission[]> {
    await flush();
    return this.page.host.life.submitted;
  }

  /** How many calls have reached the worker. */
  async asked(): Promise<number> {
    return (await this.calls()).length;
  }

  /** Answers the last call, with a value or with an outcome. */
  async answer(value: unknown, wish: Parameters<typeof answered>[1] = {}): Promise<void> {
    await this.settle(answered(value, wish));
  }

  async fail(): Promise<void> {
    await this.settle(unanswered({ code: 'offline', message: 'no network' }));
  }

  async settle(outcome: Outcome): Promise<void> {
    const last = (await this.calls()).at(-1);
    await this.page.answer(last?.id ?? 0, outcome);
  }

  /** The loops that were declared, and those that were stopped. */
  async loops(): Promise<{ readonly declared: number; readonly stopped: number }> {
    await flush();
    const { life } = this.page.host;
    return { declared: life.told('declare').length, stopped: life.told('stop').length };
  }

  /** Brings a tick of the loop declared last. */
  async tick(value: unknown, wish: Parameters<typeof answered>[1] = {}): Promise<void> {
    await flush();
    const { life } = this.page.host;
    const loop = life.told('declare').at(-1)?.declaration.loop ?? 0;
    await life.deliver({ kind: 'tick', loop, outcome: answered(value, wish), nextIn: 5_000 });
    await flush();
  }

  get records(): QueryRecords {
    return Connection.linkOf(this.page.connection).records;
  }

  /** The page is shown again. */
  show(): void {
    this.hide(false);
  }

  hide(hidden = true): void {
    Object.assign(document, { hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }
}

/** Subscribes, and counts how often it is told. */
export class Subscriber {
  told = 0;
  readonly leave: () => void;

  constructor(query: Query) {
    this.leave = query.subscribe(() => {
      this.told += 1;
    });
  }
}

export function subscribed(query: Query): Subscriber {
  return new Subscriber(query);
}
