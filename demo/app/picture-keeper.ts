import type { OwnPart } from './account.ts';
import type { CollectionState } from './collection.ts';
import { pictureOf } from './photo.ts';

/** Frames load their pictures when they come near; this fetches the others, so that the sheet is whole offline. */
export class PictureKeeper implements OwnPart {
  readonly #seen = new Set<string>();
  #waiting: string[] = [];
  #busy = false;

  begin(): void {
    // The first answer that is not stale begins it.
  }

  end(): void {
    this.#waiting = [];
    this.#seen.clear();
  }

  /** The app's worker keeps what passes through it. Of drafts there is nothing to keep. */
  keep({ rows, stale }: CollectionState): void {
    if (stale) return;
    this.#waiting = rows
      .filter(({ isDraft }) => !isDraft)
      .map((photo) => pictureOf(photo, 'small'))
      .filter((url) => !this.#seen.has(url));
    if (!this.#busy) void this.#run();
  }

  /** One at a time and after everything else: nobody waits for these. */
  async #run(): Promise<void> {
    this.#busy = true;
    for (let url = this.#waiting.shift(); url !== undefined; url = this.#waiting.shift()) {
      await idle();
      const response = await fetch(url, { priority: 'low' }).catch(() => null);
      if (!response?.ok) break;
      this.#seen.add(url);
    }
    this.#busy = false;
  }
}

/** Safari has no requestIdleCallback. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 500 });
    else setTimeout(resolve, 100);
  });
}
