/** Does work that takes a while once at a time: however often it is asked for meanwhile, it is done once more. */
export class OneAtATime {
  readonly #work: () => Promise<void>;
  #isWanted = false;
  #isUnderWay = false;

  /** `work` never rejects. */
  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  ask(): void {
    this.#isWanted = true;
    if (!this.#isUnderWay) void this.#run();
  }

  /** What is under way goes on; nothing comes after it. */
  end(): void {
    this.#isWanted = false;
  }

  async #run(): Promise<void> {
    this.#isUnderWay = true;
    while (this.#isWanted) {
      this.#isWanted = false;
      await this.#work();
    }
    this.#isUnderWay = false;
  }
}
