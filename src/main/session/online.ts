/** What the page saw of its network coming back, and what a worker has stored of that. */
export class OnlineNews {
  #seen = 0;
  #stored = 0;

  note(): void {
    this.#seen += 1;
  }

  /** True as long as no worker has stored that the network came back. */
  get isNews(): boolean {
    return this.#seen > this.#stored;
  }

  /** All that was noted by now is being told. Returns what to call once it is stored. */
  telling(): () => void {
    const seen = this.#seen;
    return () => {
      this.#stored = seen;
    };
  }
}
