import { vi } from 'vitest';

type Hear = (event: { readonly preventDefault: () => void }) => unknown;

/** What a test sees of an element of the page: it says what it was given, and hears what the test does to it. */
export interface FakeElement {
  readonly dataset: Record<string, string>;
  readonly hears: Map<string, Hear>;
  readonly setAttribute: (name: string, value: string) => void;
  value: string;
  href: string;
  text: string | null;
}

/** A page whose elements are there as soon as they are asked for, by their names, in the place of `element.ts`. */
export class FakePage {
  readonly #elements = new Map<string, FakeElement>();

  readonly module: object = {
    stamp: (name: string) => this.at(name),
    find: (selector: string) => this.at(selector),
    part: (_root: unknown, name: string) => this.at(name),
    fill: () => {},
    say: (element: FakeElement, text: string | null) => {
      element.text = text;
    },
  };

  at(name: string): FakeElement {
    const element = this.#elements.get(name) ?? newElement();
    this.#elements.set(name, element);
    return element;
  }

  do(name: string, type: string): void {
    void this.at(name).hears.get(type)?.({ preventDefault: () => {} });
  }

  /** The elements of a test are its own. */
  clear(): void {
    this.#elements.clear();
    for (const kind of KINDS) vi.stubGlobal(kind, Object);
  }
}

const KINDS = ['', 'Form', 'Input', 'TextArea', 'Image', 'Button', 'Anchor', 'LI', 'Time', 'DList'].map(
  (kind) => `HTML${kind}Element`,
);

function newElement(): FakeElement {
  const hears = new Map<string, Hear>();
  const element = {
    hears,
    dataset: {},
    value: '',
    href: '',
    text: null,
    addEventListener: (type: string, hear: Hear) => hears.set(type, hear),
    setAttribute: () => {},
    removeAttribute: () => {},
    getAttribute: () => null,
    append: () => {},
    replaceChildren: () => {},
    querySelector: () => null,
    querySelectorAll: () => [],
  };
  return element;
}

/** Lets all go on that waits for nothing but its turn. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
