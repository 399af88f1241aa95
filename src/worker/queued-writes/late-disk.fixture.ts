import { unreachable } from '../platform/system.fixture.ts';
import { IDBFactory } from '../storage/indexeddb.fixture.ts';
import { OutboxStage, rounds } from './outbox-stage.fixture.ts';

export const WISH = { method: 'PUT', template: '/photo/7' };

/** A disk that opens no database for a while: after a kill, the browser puts what it has stored in order first. */
export class LateDisk extends IDBFactory {
  isLate = false;
  readonly #of: string;

  /** Only the databases whose names contain `of` are late. */
  constructor(of = '') {
    super();
    this.#of = of;
  }

  override open(name: string, version?: number): IDBOpenDBRequest {
    const request = super.open(name, version);
    if (!this.isLate || !name.includes(this.#of)) return request;
    const unheard = (event: Event): void => {
      event.stopImmediatePropagation();
      request.result.close();
    };
    request.addEventListener('success', unheard, { once: true });
    return request;
  }
}

/** A worker that starts while that disk is late, with a write that an earlier one has left. */
export async function startLate(disk: LateDisk): Promise<OutboxStage> {
  const stage = new OutboxStage(disk);
  stage.answer = unreachable;
  await stage.open().queue(1, 'first', WISH);
  await rounds();
  disk.isLate = true;
  stage.restart();
  stage.answer = () => null;
  return stage;
}
