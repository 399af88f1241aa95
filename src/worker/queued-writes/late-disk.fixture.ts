import { IDBFactory } from '../storage/indexeddb.fixture.ts';

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
