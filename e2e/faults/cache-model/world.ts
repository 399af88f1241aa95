import { Connection } from '../../../src/main/connection/connection.ts';
import { resolveOptions } from '../../../src/main/connection/options.ts';
import { RestError } from '../../../src/main/error.ts';
import type { Loop } from '../../../src/main/resource/loop.ts';
import { Resource } from '../../../src/main/resource/resource.ts';
import type { ResourceOf } from '../../../src/main/resource/resource.ts';
import { unreachable } from '../../../src/shared/unreachable.ts';
import { Disk } from '../model/disk.ts';
import { playGlobals } from '../model/globals.ts';
import { Locks } from '../model/locks.ts';
import { PageLink } from '../model/page-link.ts';
import type { Owner } from '../model/timeline.ts';
import { Timeline } from '../model/timeline.ts';
import type { Model, Plan, Played } from '../model/run.ts';
import { Registration } from '../model/worker.ts';
import { Random } from '../random.ts';
import { Origin } from './origin.ts';
import type { Content } from './origin.ts';
import { cachePlans, cacheSentenceOf, PAGES } from './plan.ts';
import type { CacheCommand, Language, PolicyName } from './plan.ts';
import { faultOf } from './rules.ts';
import type { Span, Written } from './rules.ts';

const DESCRIPTION = {
  get: { method: 'GET', url: '/thing/{name}', response: Resource.type<Content>() },
  once: { method: 'GET', url: '/thing/{name}', response: Resource.type<Content>() },
  tick: { method: 'GET', url: '/thing/{name}', response: Resource.type<Content>() },
  put: { method: 'PUT', url: '/thing/{name}' },
  post: { method: 'POST', url: '/thing/{name}' },
  delete: { method: 'DELETE', url: '/thing/{name}' },
} as const;

/** Milliseconds that each call has. */
const TIMEOUT = 20_000;

/** Milliseconds in which a wish of a page is answered, whatever becomes of the worker meanwhile. */
const PATIENCE = 60_000;

/** How calls of a page may end beside a success. */
const FAILURES: ReadonlySet<string> = new Set([
  'http',
  'offline',
  'network',
  'timeout',
  'worker-lost',
  'identity-changed',
]);

/** A page with the library in it, awake all the time. */
class CachePage implements Owner {
  readonly name: string;
  readonly state = 'running';
  readonly isReachable = true;
  readonly connection: Connection;
  readonly resource: ResourceOf<typeof DESCRIPTION>;
  loops: Loop[] = [];
  readonly #window = new EventTarget();
  readonly #document = Object.assign(new EventTarget(), { hidden: false, baseURI: 'https://page.example/' });
  #lastId = 0;

  constructor(name: string, link: (page: CachePage) => PageLink) {
    this.name = name;
    this.enter();
    const host = link(this).host();
    this.connection = new Connection(host, resolveOptions({}), () => (this.#lastId += 1));
    this.resource = new Resource(DESCRIPTION, { connection: this.connection });
  }

  enter(): void {
    const addEventListener = this.#window.addEventListener.bind(this.#window);
    Object.assign(globalThis, { document: this.#document, addEventListener });
  }
}

/** Two pages, one worker, its disk and a server, and what pages were told of it. */
class CacheWorld {
  readonly timeline = new Timeline();
  readonly differences: string[] = [];
  readonly origin: Origin;
  /** Where each answer came from that was told: `network`, `cache`, or `stale` from there. */
  readonly told: string[] = [];
  readonly #random: Random;
  readonly #locks = new Locks(this.timeline);
  readonly #disk = new Disk(this.timeline);
  readonly #registration: Registration;
  readonly #pages: CachePage[] = [];
  readonly #writes: Written[] = [];
  readonly #changes: Span[] = [];
  readonly #clearings: Span[] = [];
  readonly #kills: number[] = [];
  #user: string | null = null;
  #underWay = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.origin = new Origin(this.timeline, this.#random);
    this.#registration = new Registration({
      timeline: this.timeline,
      random: this.#random,
      locks: this.#locks,
      disk: this.#disk,
      server: this.origin,
      isPresent: () => true,
      ended: () => this.#kills.push(this.timeline.now),
    });
  }

  get globals(): Parameters<typeof playGlobals>[0] {
    return { timeline: this.timeline, disk: this.#disk, locks: this.#locks };
  }

  async open(): Promise<void> {
    const around = {
      timeline: this.timeline,
      random: this.#random,
      journal: { differ: (difference: string): void => void this.differences.push(difference) },
      registration: this.#registration,
    };
    for (let nth = 0; nth < PAGES; nth += 1) {
      const page = new CachePage(`page ${nth}`, (owner) => new PageLink(owner, around));
      page.resource.addListener('tickSuccess', ({ response }) => this.#hearTick(page, response));
      this.#pages.push(page);
      await this.timeline.pass(0);
    }
  }

  async do(command: CacheCommand): Promise<void> {
    const page = this.#pages['page' in command ? command.page : 0];
    if (!page) throw new RangeError('There is no such page');
    switch (command.kind) {
      case 'get':
        return this.#as(page, () => this.#get(page, command.name, command.language, command.policy));
      case 'poll':
        return this.#as(page, () => {
          const { name, interval } = command;
          page.loops.push(page.resource.poll('tick', { name }, { interval }));
        });
      case 'stop':
        return this.#as(page, () => {
          for (const loop of page.loops.splice(0)) loop.stop();
        });
      case 'write':
        return this.#as(page, () => this.#write(page, command.name, command.method));
      case 'sign':
        return this.#sign(page, command.user);
      case 'clear':
        return this.#clear(page);
      case 'kill':
        return this.#registration.kill();
      case 'publish':
        return void this.origin.publish(command.name);
      case 'withdraw':
        return this.origin.withdraw(command.name);
      case 'say':
        return this.origin.say(command.name, command.saying);
      case 'server':
        return this.origin.become(command.state);
      case 'pass':
        return this.timeline.pass(command.milliseconds);
      default:
        return unreachable(command);
    }
  }

  /** Whatever was called has ended. */
  async end(): Promise<void> {
    this.origin.become('works');
    await this.timeline.pass(TIMEOUT + PATIENCE);
    if (this.#underWay > 0) this.differences.push(`${this.#underWay} calls have not ended`);
  }

  async #as(page: CachePage, work: () => void): Promise<void> {
    this.timeline.schedule(page, 0, work);
    await this.timeline.pass(0);
  }

  #get(page: CachePage, name: string, language: Language, policy: PolicyName): void {
    const madeAt = this.timeline.now;
    const action = policy === 'network-only' ? 'once' : 'get';
    const cache = policy === 'reload' ? {} : { cache: policy };
    const options = {
      ...cache,
      reload: policy === 'reload',
      timeout: TIMEOUT,
      headers: { 'X-Language': language },
    };
    const id = page.resource.invoke(action, { name }, undefined, options);
    const listener = page.resource.addListener(`${action}Success`, (event) => {
      if (event.id !== id) return;
      const { servedFrom, stale, isPreliminary, response } = event;
      const told = { name, language, policy, madeAt, servedFrom, stale, isPreliminary };
      this.told.push(stale ? 'stale' : String(servedFrom));
      this.#judge(page, { ...told, toldAt: this.timeline.now, content: response });
    });
    this.#follow(page, id, `${policy} get of ${name}`, () => listener?.());
  }

  #judge(page: CachePage, told: Parameters<typeof faultOf>[0]): void {
    const fault = faultOf(told, {
      exchanges: this.origin.exchanges,
      writes: this.#writes,
      changes: this.#changes,
      clearings: this.#clearings,
      kills: this.#kills,
    });
    if (fault === null) return;
    const { content, toldAt, madeAt, ...how } = told;
    const when = `${this.#clock(madeAt)} to ${this.#clock(toldAt)}`;
    this.differences.push(
      `${page.name}, ${when}: ${JSON.stringify(content)} ${fault} (${JSON.stringify(how)})`,
    );
  }

  #hearTick(page: CachePage, content: Content): void {
    const { now } = this.timeline;
    const isOf = this.origin.exchanges.some(
      ({ name, user, version, askedAt }) =>
        name === content.name &&
        user === content.user &&
        version === content.version &&
        !this.#changes.some(({ begun, ended }) => begun > askedAt && ended + 100 < now),
    );
    if (!isOf)
      this.differences.push(`${page.name} is told a tick of an earlier identity: ${JSON.stringify(content)}`);
  }

  #write(page: CachePage, name: string, method: 'PUT' | 'POST' | 'DELETE'): void {
    const begun = this.timeline.now;
    const action = { PUT: 'put', POST: 'post', DELETE: 'delete' } as const;
    const id = page.resource.invoke(action[method], { name }, undefined, { timeout: TIMEOUT });
    const entry = { name, begun, isDelete: method === 'DELETE' };
    const at = this.#writes.push({ ...entry, ended: Infinity, version: null }) - 1;
    this.#follow(page, id, `${method} of ${name}`, (isDone) => {
      const ended = this.timeline.now;
      const done = this.origin.exchanges.filter(
        (each) => each.method === method && each.name === name && each.askedAt >= begun && each.status < 300,
      );
      const version = isDone ? Math.min(...done.map((each) => each.version)) : null;
      this.#writes[at] = { ...entry, ended, version };
    });
  }

  #follow(page: CachePage, id: number, what: string, ended: (isDone: boolean) => void): void {
    this.#underWay += 1;
    const settle = (isDone: boolean): void => {
      this.#underWay -= 1;
      ended(isDone);
    };
    page.resource.result(id).then(
      () => settle(true),
      (error: unknown) => {
        const code = error instanceof RestError ? error.failure.code : String(error);
        if (!FAILURES.has(code)) this.differences.push(`${what} of ${page.name} has failed: ${code}`);
        settle(false);
      },
    );
  }

  /** As an app does it: the server's session ends, Offstage is told, the next session begins, Offstage is told. */
  async #sign(page: CachePage, user: string | null): Promise<void> {
    const signIn = (): Promise<void> =>
      user === null ? page.connection.signOut() : page.connection.signIn(user);
    if (user === this.#user) return this.#until(page, signIn);
    const begun = this.timeline.now;
    const nth = this.#changes.push({ begun, ended: Infinity }) - 1;
    this.origin.cookie = null;
    await this.#until(page, () => page.connection.signOut());
    this.origin.cookie = user;
    await this.#until(page, signIn);
    this.#user = user;
    this.#changes[nth] = { begun, ended: this.timeline.now };
  }

  async #clear(page: CachePage): Promise<void> {
    const begun = this.timeline.now;
    const nth = this.#clearings.push({ begun, ended: Infinity }) - 1;
    await this.#until(page, () => page.connection.cache.clear());
    this.#clearings[nth] = { begun, ended: this.timeline.now };
  }

  /** Asks, again where no worker has answered, until it is done. */
  async #until(page: CachePage, ask: () => Promise<void>): Promise<void> {
    const end = this.timeline.now + PATIENCE;
    while (this.timeline.now < end) {
      const asked: { state: 'open' | 'done' | 'refused' } = { state: 'open' };
      await this.#as(page, () => {
        ask().then(
          () => (asked.state = 'done'),
          () => (asked.state = 'refused'),
        );
      });
      while (asked.state === 'open' && this.timeline.now < end) await this.timeline.pass(5);
      if (asked.state === 'done') return;
    }
    this.differences.push(`a wish of ${page.name} is not answered`);
  }

  #clock(instant: number): string {
    return `${((instant - Date.UTC(2026, 0, 1)) / 1_000).toFixed(3)} s`;
  }
}

/** Plays a plan to its end, or to the first difference. */
async function play({ seed, commands }: Plan<CacheCommand>): Promise<Played> {
  const world = new CacheWorld(seed);
  const { differences, origin, told } = world;
  const restore = playGlobals(world.globals);
  try {
    await world.open();
    for (const command of commands) if (differences.length === 0) await world.do(command);
    if (differences.length === 0) await world.end();
  } catch (error) {
    differences.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    restore();
  }
  return { differences, requests: origin.exchanges.length, outcomes: told };
}

/** What RFC 9111 and the users allow to be told. */
export const cacheModel: Model<CacheCommand> = {
  folder: 'cache-model',
  plans: cachePlans,
  sentenceOf: cacheSentenceOf,
  play,
};
