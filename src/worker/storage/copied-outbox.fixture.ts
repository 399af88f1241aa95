import type { RequestBody } from '../../shared/invocation.ts';
import type { NewWrite } from '../contracts/outbox-store.ts';
import { write } from '../outbox/write.fixture.ts';
import { VirtualClock } from '../platform/virtual-clock.fixture.ts';
import { Database } from './database.ts';
import { IDBFactory } from './indexeddb.fixture.ts';
import { COPY_STEPS, OUTBOX_STEPS } from './migrations.ts';
import { OutboxCopy } from './outbox-copy.ts';
import { StoredOutbox } from './outbox.ts';

export const BODY: RequestBody = { kind: 'text', text: 'Dusk' };

export function draft(name: string): NewWrite {
  const { place: _place, ...rest } = write(0, { entry: name, key: name });
  return rest;
}

/** A browser with two places for databases, which engines share. */
export class World {
  readonly clock: VirtualClock = new VirtualClock();
  indexedDB: IDBFactory = new IDBFactory();
  spare: IDBFactory = new IDBFactory();

  /** `opens`: settles as its other place opens. */
  engine(opens: () => Promise<unknown> = async () => {}): CopyingEngine {
    const { clock, indexedDB } = this;
    const options = { steps: OUTBOX_STEPS, givesUp: false };
    const database = new Database({ clock, indexedDB }, '/outbox', () => {}, options);
    const answers = new Database({ clock, indexedDB }, '/', () => {});
    const copy = new OutboxCopy({
      attempt: (work) => work(),
      fail: () => {},
      opened: async () => {},
      gather: async () => {},
      isThere: async () => true,
      open: async () => {
        await opens();
        const system = { clock, indexedDB: this.spare };
        return new Database(system, '/outbox', () => {}, { steps: COPY_STEPS, givesUp: false });
      },
    });
    return { database, copy, outbox: new StoredOutbox(database, answers, copy) };
  }
}

interface CopyingEngine {
  readonly database: Database;
  readonly copy: OutboxCopy;
  readonly outbox: StoredOutbox;
}
