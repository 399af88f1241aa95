import { connect, Resource, RestEvent, type Connection, type ConnectOptions } from 'offstage';

/** What a page was told of one call. */
export interface Read {
  readonly url: string;
  /** Milliseconds until it settled. */
  readonly ms: number;
  /** `stored` where the answer was what is stored already, `hung` where there was none long after the deadline. */
  readonly ending: 'stored' | 'new' | 'failed' | 'hung';
}

/** Milliseconds that a call is given. */
const DEADLINE = 10_000;

/** A tab that goes on reading documents, and with every turn one more that it has never read. */
export class Reader {
  /** Every call, in the order of their ends. */
  readonly reads: Read[] = [];
  /** Why the storage fell to memory. */
  readonly falls: string[] = [];
  readonly #connection: Connection;
  readonly #resources = new Map<string, Resource>();
  #reading: Promise<void> = Promise.resolve();
  #stopped = false;

  private constructor(connection: Connection) {
    this.#connection = connection;
    connection.addEventListener('storage', (event) =>
      this.falls.push('reason' in event ? String(event.reason) : 'without a reason'),
    );
  }

  /** Resolves once the engine has answered, which has not opened its database then. */
  static async open(options: ConnectOptions): Promise<Reader> {
    const reader = new Reader(connect(options));
    await reader.#connection.ready;
    return reader;
  }

  /** True while a newer worker is installed and waits for the old one to end. */
  get hasUpdate(): boolean {
    return this.#connection.update !== null;
  }

  /** The newer worker takes over. */
  async update(): Promise<void> {
    await this.#connection.update?.apply();
  }

  /** How many answers the database has; none as long as it does not say. */
  async stored(): Promise<number> {
    return (await this.#connection.inspect()).cache.entries ?? 0;
  }

  /** Reads each document once: what it has read before is revalidated. */
  async read(urls: readonly string[]): Promise<Read[]> {
    const reads = await Promise.all(urls.map((url) => this.#readOne(url)));
    this.reads.push(...reads);
    return reads;
  }

  /** Reads them again and again, and in each turn one more, of a path that begins with the prefix. */
  start(urls: readonly string[], prefix: string): void {
    this.#reading = this.#goOn(urls, prefix);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#reading;
  }

  async #goOn(urls: readonly string[], prefix: string): Promise<void> {
    for (let turn = 0; !this.#stopped; turn += 1) await this.read([...urls, `${prefix}${turn}`]);
  }

  async #readOne(url: string): Promise<Read> {
    const resource = this.#resourceOf(url);
    const began = performance.now();
    const ended = endingOf(resource);
    if (resource.refresh('get') === null) resource.invoke('get');
    const ending = await Promise.race([ended, hang()]);
    return { url, ms: performance.now() - began, ending };
  }

  #resourceOf(url: string): Resource {
    const known = this.#resources.get(url);
    if (known) return known;
    const connection = this.#connection;
    const resource = new Resource({ get: { method: 'GET', url, timeout: DEADLINE } }, { connection });
    this.#resources.set(url, resource);
    return resource;
  }
}

/** Of a resource's only call. */
function endingOf(resource: Resource): Promise<Read['ending']> {
  return new Promise((resolve) => {
    const heard = new AbortController();
    const end = (ending: Read['ending']): void => {
      heard.abort();
      resolve(ending);
    };
    const { signal } = heard;
    resource.addEventListener('error', () => end('failed'), { signal });
    resource.addEventListener('success', (event) => end(hasChanged(event) ? 'new' : 'stored'), { signal });
  });
}

function hasChanged(event: Event): boolean {
  return !(event instanceof RestEvent) || event.changed;
}

async function hang(): Promise<'hung'> {
  await new Promise((resolve) => setTimeout(resolve, DEADLINE + 2_000));
  return 'hung';
}
