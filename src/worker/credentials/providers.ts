/** Which pages have a provider for which origins. A page is named by its session. */
export class Providers {
  readonly #origins = new Map<string, Set<string>>();
  /** The pages by origin, in the order in which they came. */
  readonly #pages = new Map<string, Set<string>>();
  readonly #hidden = new Set<string>();

  /** The page provides for these origins and no others. Returns the origins for which it no longer does. */
  set(page: string, origins: readonly string[]): readonly string[] {
    const before = this.#origins.get(page) ?? new Set<string>();
    const now = new Set(origins);
    const removed = [...before].filter((origin) => !now.has(origin));
    for (const origin of removed) this.#remove(origin, page);
    for (const origin of now) this.#pages.set(origin, (this.#pages.get(origin) ?? new Set()).add(page));
    if (now.size > 0) this.#origins.set(page, now);
    else this.#origins.delete(page);
    return removed;
  }

  setHidden(page: string, hidden: boolean): void {
    if (hidden) this.#hidden.add(page);
    else this.#hidden.delete(page);
  }

  /** Returns the origins for which the page provided. */
  leave(page: string): readonly string[] {
    this.#hidden.delete(page);
    return this.set(page, []);
  }

  has(origin: string): boolean {
    return this.#pages.has(origin);
  }

  /** The page to ask next: a visible one before a hidden one; null if all have been asked. */
  next(origin: string, asked: ReadonlySet<string>): string | null {
    const left = [...(this.#pages.get(origin) ?? [])].filter((page) => !asked.has(page));
    return left.find((page) => !this.#hidden.has(page)) ?? left[0] ?? null;
  }

  #remove(origin: string, page: string): void {
    const pages = this.#pages.get(origin);
    pages?.delete(page);
    if (pages?.size === 0) this.#pages.delete(origin);
  }
}
