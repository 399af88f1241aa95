import { LIMITS } from '../../shared/limits.ts';
import { sizeOf } from './container.ts';
import type { Document } from './container.ts';

/** The documents that the next ones are compared with, within a budget of bytes: those used least recently go. */
export class Bases {
  readonly #budget: number;
  /** In the order of their last use. */
  readonly #documents = new Map<string, Document>();
  #size = 0;

  /** `budget` in bytes. */
  constructor(budget: number = LIMITS.bases) {
    this.#budget = budget;
  }

  /** Bytes of all documents together. */
  get size(): number {
    return this.#size;
  }

  get(key: string): Document | null {
    const document = this.#documents.get(key);
    if (document === undefined) return null;
    this.#documents.delete(key);
    this.#documents.set(key, document);
    return document;
  }

  /** One that exceeds the budget alone is not kept, and costs the others nothing. */
  set(key: string, document: Document): void {
    this.delete(key);
    const size = sizeOf(document);
    if (size > this.#budget) return;
    this.#documents.set(key, document);
    this.#size += size;
    for (const oldest of this.#documents.keys()) {
      if (this.#size <= this.#budget) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const document = this.#documents.get(key);
    if (document === undefined) return;
    this.#documents.delete(key);
    this.#size -= sizeOf(document);
  }
}
