import { stamp, fill, part, find } from './element.ts';
import { isRecord } from './photo.ts';
import { server } from './resources.ts';

interface Palette {
  readonly name: string;
  readonly label: string;
  readonly colours: readonly string[];
}

/** What pictures can be printed in: asked for once, kept by the worker for when there is no network. */
export class Palettes {
  #palettes: readonly Palette[] = [];

  /** Resolves when they are known; without them there are names and no colours. */
  async load(): Promise<void> {
    const response = await server.result(server.palettes());
    if (isRecord(response) && Array.isArray(response['items'])) {
      this.#palettes = response['items'].filter((item) => isPalette(item));
    }
  }

  coloursOf(name: string): readonly string[] {
    return this.#find(name)?.colours ?? [];
  }

  labelOf(name: string): string {
    return this.#find(name)?.label ?? name;
  }

  /** Radio buttons, one a palette. */
  choices(chosen: string): HTMLElement[] {
    const known = this.#palettes.length > 0 ? this.#palettes : [{ name: chosen, label: chosen, colours: [] }];
    return known.map(({ name, label, colours }) => {
      const choice = stamp('palette', HTMLLabelElement);
      const input = find('input', HTMLInputElement, choice);
      input.value = name;
      input.checked = name === chosen;
      paintSwatches(part(choice, 'swatches', HTMLElement), colours);
      fill(choice, { label });
      return choice;
    });
  }

  #find(name: string): Palette | undefined {
    return this.#palettes.find((palette) => palette.name === name);
  }
}

export function paintSwatches(place: HTMLElement, colours: readonly string[]): void {
  place.replaceChildren(
    ...colours.map((colour) => {
      const swatch = document.createElement('i');
      swatch.style.setProperty('background', colour);
      return swatch;
    }),
  );
}

function isPalette(value: unknown): value is Palette {
  return isRecord(value) && typeof value['name'] === 'string' && Array.isArray(value['colours']);
}
