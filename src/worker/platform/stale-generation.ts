/** A write was begun by an engine that no longer acts; it is aborted and leaves nothing behind. */
export class StaleGeneration extends Error {
  override readonly name = 'StaleGeneration';

  /** The generation in which the write was begun, and the stored one; null if there is none. */
  constructor(own: number | null, stored: number | null) {
    super(`Another engine acts: the generation is ${stored}, this engine's own is ${own}`);
  }
}
