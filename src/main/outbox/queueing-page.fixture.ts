import { vi } from 'vitest';
import type { WriteReport } from '../../shared/outbox.ts';
import type { Submission } from '../../shared/protocol.ts';
import { FakePage } from '../page.fixture.ts';
import type { RestEvent } from '../resource/event.ts';
import { Resource } from '../resource/resource.ts';
import type { ResourceOf } from '../resource/resource.ts';
import { flush } from '../session/host.fixture.ts';
import { WRITE } from './write.fixture.ts';

export const DESCRIPTION = {
  add: { method: 'POST', url: '/albums/{album}/photos', offline: 'queue' },
} as const;

type Photos = ResourceOf<typeof DESCRIPTION>;

/** What a performed write says. */
export const DONE: Partial<WriteReport> = {
  state: 'done',
  attempts: 1,
  answer: { status: 201, headers: [], body: { kind: 'value', value: { id: 9 } } },
};

/** What a refused write says. */
export const REFUSED: Partial<WriteReport> = {
  state: 'review',
  attempts: 1,
  failure: { code: 'http', message: 'no', status: 422, body: null },
};

/** A page whose resource queues its calls. Its worker does what a test says. */
export class QueueingPage extends FakePage {
  photos(): Photos {
    return new Resource(DESCRIPTION, { connection: this.connection, name: 'photos' });
  }

  /** The last call that the worker has got. */
  get submitted(): Submission {
    const submission = this.host.life.submitted.at(-1);
    if (!submission) throw new Error('Nothing was submitted');
    return submission;
  }

  /** Calls the action; the write as the worker will report it. */
  async call(photos: Photos): Promise<{ id: number; write: WriteReport }> {
    const id = photos.add({ album: 7 }, 'title=Dusk');
    await flush();
    return { id, write: { ...WRITE, ...this.submitted.ticket } };
  }

  /** Calls the action, and has it queued as the worker does. */
  async queue(photos: Photos): Promise<{ id: number; write: WriteReport }> {
    const called = await this.call(photos);
    await this.tellQueued(called.id, called.write);
    return called;
  }

  async tellQueued(id: number, write: WriteReport): Promise<void> {
    await this.host.life.deliver({ kind: 'queued', id, write });
    await flush();
  }

  /** Tells what has become of a write, as every tab is told. */
  async tell(write: WriteReport): Promise<void> {
    await this.host.life.deliver({ kind: 'write', write });
    await flush();
  }

  /** Another worker has taken the place of the present one, which has died unheard. The page finds out as it calls. */
  async findNextWorker(photos: Photos): Promise<void> {
    photos.add({ album: 8 });
    for (let turn = 0; turn < 5; turn += 1) await flush();
  }

  /** The worker answers what is asked of the outbox with these writes. */
  keep(writes: readonly WriteReport[]): void {
    this.host.life.replyTo = (command) => {
      if (command.kind === 'decide') return { kind: 'decided', as: 'decided' };
      if (command.kind !== 'list-outbox') return { kind: 'done' };
      const entries = writes.filter(({ entry }) => command.entries?.includes(entry) ?? true);
      return { kind: 'outbox-page', page: { entries, next: null } };
    };
  }
}

/** The events of a resource, in order. */
export function heardOf(photos: Photos): unknown[] {
  const heard: unknown[] = [];
  const note = ({ type, id, response, error }: RestEvent): unknown =>
    heard.push([type, id, error ? error.code : response]);
  for (const type of ['addQueued', 'queued', 'addSuccess', 'addError'] as const)
    photos.addListener(type, note);
  return heard;
}

/** A promise that a test resolves. */
export class Later<Value> {
  readonly promise: Promise<Value>;
  resolve: (value: Value) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }
}

/** The browser reads the next Blob or form when a test says. */
export function readLate(): Later<ArrayBuffer> {
  const read = new Later<ArrayBuffer>();
  vi.spyOn(Response.prototype, 'arrayBuffer').mockReturnValueOnce(read.promise);
  return read;
}
