import { RestError, type FailureCode, type Resource, type RestEvent } from 'offstage';

/** An event as plain data, which `page.evaluate` can hand over to the test. */
export type Heard = Pick<
  RestEvent,
  'type' | 'action' | 'id' | 'phase' | 'response' | 'status' | 'servedFrom' | 'stale' | 'age' | 'changed'
> & { readonly code: FailureCode | null; readonly message: string | null; readonly at: number };

/** Listens for events and keeps them, in the order in which they were dispatched. */
export function record(resource: Resource, ...types: string[]): Heard[] {
  const heard: Heard[] = [];
  for (const type of types) resource.addListener(type, (event) => heard.push(plain(event)));
  return heard;
}

function plain(event: RestEvent): Heard {
  const { type, action, id, phase, response, status, servedFrom, stale, age, changed, error } = event;
  const { code = null, message = null } = error ?? {};
  const at = performance.now();
  return { type, action, id, phase, response, status, servedFrom, stale, age, changed, code, message, at };
}

/** How a result ended, as plain data. */
export interface Ending {
  readonly response?: unknown;
  readonly code?: FailureCode;
  readonly failure?: unknown;
  readonly error?: string;
}

export async function ending(result: Promise<unknown>): Promise<Ending> {
  try {
    return { response: await result };
  } catch (error) {
    if (!(error instanceof RestError)) return { error: String(error) };
    return { code: error.code, failure: { ...error.failure }, error: String(error) };
  }
}

/** What a call throws, as text; null where it throws nothing. */
export function thrown(call: () => unknown): string | null {
  try {
    call();
    return null;
  } catch (error) {
    return String(error);
  }
}

/** What a method throws for arguments that its types forbid, as plain JavaScript can give them. */
export function misused(target: object, method: string, ...args: readonly unknown[]): string | null {
  return thrown(() => Reflect.apply(Reflect.get(target, method), target, args));
}

/** How many rows of a list are the very objects that were in another. */
export function kept(before: unknown, after: unknown): number {
  if (!Array.isArray(before) || !Array.isArray(after)) return 0;
  const known = new Set<unknown>(before);
  return after.filter((row) => known.has(row)).length;
}

/** Hears what workers say to the page from now on, though the library keeps its messages to itself. */
export function overhear(hear: (data: unknown) => void): void {
  MessageEvent.prototype.stopImmediatePropagation = () => {};
  navigator.serviceWorker.addEventListener('message', ({ data }) => hear(data));
}

/** Everything in all databases of the origin, as text, keys and bytes included. */
export async function stored(): Promise<string> {
  const databases = await indexedDB.databases();
  const texts = await Promise.all(databases.map(async ({ name = '' }) => name + (await textOf(name))));
  return texts.join('\n');
}

async function textOf(name: string): Promise<string> {
  const database = await settled(indexedDB.open(name));
  const texts = await Promise.all(
    [...database.objectStoreNames].map(async (store) => {
      const records = database.transaction(store).objectStore(store);
      return asText([await settled(records.getAllKeys()), await settled(records.getAll())]);
    }),
  );
  database.close();
  return texts.join('\n');
}

/** In Latin-1 each byte is one character, so that no byte is lost. */
function asText(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    each instanceof ArrayBuffer ? new TextDecoder('latin1').decode(each) : each,
  );
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
