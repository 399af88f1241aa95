/** Takes what is told of one type. */
export type Handler<Told> = (told: Told) => void;

/** Who is told what, by type, in the order in which they asked for it. */
export class Handlers<Told> {
  readonly #byType = new Map<string, readonly Entry<Told>[]>();

  has(type: string): boolean {
    return this.#byType.has(type);
  }

  /** `context` is the handler's `this`. The same handler with the same context is added once. */
  add(type: string, handler: Handler<Told>, context: unknown, once: boolean): void {
    const entries = this.#of(type);
    if (entries.some(isOf(handler, context))) return;
    this.#byType.set(type, [...entries, { handler, context, once }]);
  }

  remove(type: string, handler: Handler<Told>, context: unknown): void {
    const isMeant = isOf(handler, context);
    const left = this.#of(type).filter((entry) => !isMeant(entry));
    if (left.length > 0) this.#byType.set(type, left);
    else this.#byType.delete(type);
  }

  /** Tells those who are there now: one that goes meanwhile is left out, one that comes is for the next time. */
  tell(type: string, told: Told): void {
    for (const entry of this.#of(type)) {
      if (!this.#of(type).includes(entry)) continue;
      if (entry.once) this.remove(type, entry.handler, entry.context);
      call(entry, told);
    }
  }

  #of(type: string): readonly Entry<Told>[] {
    return this.#byType.get(type) ?? [];
  }
}

interface Entry<Told> {
  readonly handler: Handler<Told>;
  readonly context: unknown;
  readonly once: boolean;
}

function isOf<Told>(handler: Handler<Told>, context: unknown): (entry: Entry<Told>) => boolean {
  return (entry) => entry.handler === handler && entry.context === context;
}

/** What a handler throws is reported as uncaught, as an event's would be, and keeps nothing from the others. */
function call<Told>({ handler, context }: Entry<Told>, told: Told): void {
  try {
    handler.call(context, told);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
