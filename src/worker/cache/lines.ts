/**
 * The lines of revisions that this life of the worker has begun. It alone knows what it has told of them, so no other
 * goes on with them; nor does it itself, once something of what it told is lost.
 */
export class Lines {
  readonly #uuid: () => string;
  #name: string | null = null;
  #begun = 0;

  /** `uuid` makes a new unguessable name. */
  constructor(uuid: () => string) {
    this.#uuid = uuid;
  }

  /** Something unguessable that no other line has. */
  next(): string {
    this.#name ??= this.#uuid();
    this.#begun += 1;
    return `${this.#name}.${this.#begun}`;
  }

  isOwn(line: string): boolean {
    return this.#name !== null && line.includes(`-${this.#name}.`);
  }

  /** Something that was told is not stored: its number may not be given once more. */
  abandon(): void {
    this.#name = null;
  }
}
