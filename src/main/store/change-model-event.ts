/** A store's model has changed: `value` is the new one, `old` the one before, null for the first. */
export class ChangeModelEvent<Model = unknown> extends Event {
  readonly value: Model;
  readonly old: Model | null;

  constructor(value: Model, old: Model | null) {
    super('changeModel');
    this.value = value;
    this.old = old;
  }

  getData(): Model {
    return this.value;
  }

  getOldData(): Model | null {
    return this.old;
  }
}
