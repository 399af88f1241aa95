/** A store's model has changed: `value` is the new one, `old` the one before. */
export class ChangeModelEvent extends Event {
  readonly value: unknown;
  readonly old: unknown;

  constructor(value: unknown, old: unknown) {
    super('changeModel');
    this.value = value;
    this.old = old;
  }

  getData(): unknown {
    return this.value;
  }

  getOldData(): unknown {
    return this.old;
  }
}
