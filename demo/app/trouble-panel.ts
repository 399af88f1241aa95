import { RestError } from 'offstage';
import type { OwnPart } from './account.ts';
import { fill, find, stamp } from './element.ts';
import { isRecord } from './photo.ts';
import { onServerAnswer, server } from './resources.ts';

/** Makes the server slow or failing for everybody, on purpose. */
export class TroublePanel implements OwnPart {
  readonly #form = stamp('trouble', HTMLFormElement);
  #outOfReach = false;

  start(): void {
    find('#trouble', HTMLElement).append(this.#form);
    this.#form.addEventListener('change', () => {
      const [delay, failRate, status] = ['delay', 'failRate', 'status'].map(
        (name) => this.#select(name).value,
      );
      void this.#show(server.makeTrouble(null, { delay, failRate, status }));
    });
    this.#form.addEventListener('reset', () => void this.#show(server.endTrouble()));
    onServerAnswer(() => {
      if (!this.#outOfReach) return;
      this.#outOfReach = false;
      void this.#show(server.trouble());
    });
  }

  begin(): void {
    void this.#show(server.trouble());
  }

  end(): void {
    this.#outOfReach = false;
  }

  async #show(id: number): Promise<void> {
    try {
      const trouble = await server.result(id);
      if (!isRecord(trouble)) return;
      for (const name of ['delay', 'failRate', 'status']) {
        this.#select(name).value = String(trouble[name]);
      }
      const calm = trouble['delay'] === 0 && trouble['failRate'] === 0;
      this.#form.classList.toggle('troubled', !calm);
      fill(this.#form, { state: calm ? 'The server is well.' : 'The server is in trouble, for all tabs.' });
    } catch (error) {
      this.#outOfReach = error instanceof RestError && ['offline', 'network'].includes(error.code);
      fill(this.#form, { state: this.#outOfReach ? 'The server is out of reach.' : String(error) });
    }
  }

  #select(name: string): HTMLSelectElement {
    return find(`[name="${name}"]`, HTMLSelectElement, this.#form);
  }
}
