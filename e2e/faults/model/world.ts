import { unreachable } from '../../../src/shared/unreachable.ts';
import { Random } from '../random.ts';
import { PAGES, plans, sentenceOf } from './commands.ts';
import type { ModelCommand, PageStep } from './commands.ts';
import { Disk } from './disk.ts';
import { playGlobals } from './globals.ts';
import { Journal } from './journal.ts';
import { Locks } from './locks.ts';
import { Page } from './page.ts';
import type { Model, Plan, Played } from './run.ts';
import { Server } from './server.ts';
import { caughtUp, settled } from './settle.ts';
import { Timeline } from './timeline.ts';
import { Registration } from './worker.ts';

/** Three pages, one worker, a disk and a server, and the model of what each page wants and has heard. */
export class World {
  readonly timeline: Timeline = new Timeline();
  readonly journal: Journal;
  readonly server: Server;
  readonly disk: Disk;
  readonly registration: Registration;
  readonly pages: (Page | null)[] = [];
  readonly #random: Random;
  readonly #locks: Locks;
  #opened = 0;

  constructor(seed: number) {
    const { timeline } = this;
    this.#random = new Random(seed);
    this.journal = new Journal(timeline);
    const { history } = this.journal;
    this.server = new Server(timeline, this.#random, this.journal);
    this.disk = new Disk(timeline);
    this.#locks = new Locks(timeline);
    this.registration = new Registration({
      timeline,
      random: this.#random,
      locks: this.#locks,
      disk: this.disk,
      server: this.server,
      isPresent: (client) => this.pages.some((page) => page?.name === client && page.isPresent),
      ended: () => history.ends.push(timeline.now),
    });
  }

  /** What the library finds in the global scope while this world plays. */
  get globals(): Parameters<typeof playGlobals>[0] {
    return { timeline: this.timeline, disk: this.disk, locks: this.#locks };
  }

  async open(nth: number): Promise<void> {
    const { timeline, registration, journal } = this;
    if (this.pages[nth]) return;
    const random = this.#random;
    const name = `page ${nth} opened as ${(this.#opened += 1)}`;
    this.pages[nth] = new Page(name, { timeline, random, journal, registration });
    await timeline.pass(0);
  }

  /** Does one thing; what cannot be done now is left. */
  async do(command: ModelCommand): Promise<void> {
    if (!HARMLESS.has(command.kind)) this.journal.loops.excuse();
    await this.#do(command);
    this.journal.loops.look();
  }

  async #do(command: ModelCommand): Promise<void> {
    switch (command.kind) {
      case 'poll':
        return this.#as(command.page, (page) => page.poll(command.path, command.interval));
      case 'follow':
        return this.#as(command.page, (page) => page.follow());
      case 'stop':
        return this.#as(command.page, (page) => page.stop(command.path));
      case 'call':
        return this.#as(command.page, (page) => page.call(command.action, command.name, command.timeout));
      case 'thaw':
        return this.#thaw(command.page, command.first);
      case 'kill':
        return this.registration.kill();
      case 'start':
        this.registration.startsIn = command.milliseconds;
        return;
      case 'server':
        return this.#become(command.state);
      case 'write':
        this.server.write(`state/${command.name}`);
        return;
      case 'disk':
        this.journal.history.store(command.state);
        return this.disk.become(command.state);
      case 'fail-next':
        this.journal.history.store('in trouble');
        return this.disk.failNext(command.transactions);
      case 'lose':
        this.journal.history.store('in trouble');
        this.journal.history.isForgetful = true;
        return this.disk.lose();
      case 'await':
        await this.#become('works');
        return caughtUp(this);
      case 'pass':
        return this.timeline.pass(command.milliseconds);
      default:
        return this.#step(command.page, command.kind);
    }
  }

  /** All is well from now on; resolves when everything has come to rest, or has had its time. */
  async heal(): Promise<void> {
    this.registration.startsIn = 20;
    this.disk.become('works');
    this.journal.history.store('works');
    await this.#become('works');
    for (const [nth, page] of this.pages.entries()) {
      await this.#thaw(nth, 'nothing');
      if (page) await this.#as(nth, (each) => each.show(true));
    }
    if (this.pages.every((page) => page === null)) await this.open(0);
    await settled(this);
  }

  async #step(nth: number, kind: PageStep): Promise<void> {
    switch (kind) {
      case 'abort':
        return this.#as(nth, (page) => page.abort());
      case 'hide':
        return this.#as(nth, (page) => page.show(false));
      case 'show':
        return this.#as(nth, (page) => page.show(true));
      case 'freeze':
        return this.#as(nth, (page) => page.freeze());
      case 'go-away':
        return this.#as(nth, (page) => page.goAway());
      case 'disconnect':
        return this.#as(nth, (page) => page.disconnect());
      case 'update':
        this.registration.update();
        this.journal.history.update();
        await this.timeline.pass(3);
        return this.#as(nth, (page) => page.update());
      case 'close':
        await this.#as(nth, (page) => page.close());
        return this.#forget(nth);
      case 'crash':
        this.pages[nth]?.crash();
        return this.#forget(nth);
      case 'open':
        return this.open(nth);
      default:
        return unreachable(kind);
    }
  }

  /** Only a page that is awake does anything. */
  async #as(nth: number, work: (page: Page) => void): Promise<void> {
    const page = this.pages[nth];
    if (page?.state !== 'running') return;
    this.timeline.schedule(page, 0, () => work(page));
    await this.timeline.pass(0);
  }

  async #thaw(nth: number, first: 'nothing' | 'stop' | 'abort' | 'close'): Promise<void> {
    const page = this.pages[nth];
    if (page?.whereabouts !== 'frozen' && page?.whereabouts !== 'away') return;
    const handler = (): void => {
      if (first === 'stop') for (const path of page.loops.keys()) page.stop(path);
      if (first === 'abort') page.abort();
      if (first === 'close') page.disconnect();
    };
    page.wake(handler);
    await this.timeline.pass(0);
  }

  #forget(nth: number): void {
    const page = this.pages[nth];
    if (page?.whereabouts !== 'gone') return;
    this.#locks.forget(page);
    this.pages[nth] = null;
  }

  async #become(state: Parameters<Server['become']>[0]): Promise<void> {
    const isBack = !this.server.isOnline && state !== 'cut';
    this.journal.history.serve(state);
    this.server.become(state);
    if (!isBack) return;
    this.journal.loops.wake();
    for (const nth of Array.from({ length: PAGES }, (_, each) => each))
      await this.#as(nth, (page) => page.hearOnline());
  }
}

/** What is no reason for a loop not to ask. */
const HARMLESS: ReadonlySet<ModelCommand['kind']> = new Set([
  'poll',
  'follow',
  'call',
  'write',
  'pass',
  'show',
]);

/** Plays a plan to its end, or to the first difference. */
async function play({ seed, commands }: Plan<ModelCommand>): Promise<Played> {
  const world = new World(seed);
  const { journal, server } = world;
  const restore = playGlobals(world.globals);
  try {
    for (let nth = 0; nth < PAGES; nth += 1) await world.open(nth);
    for (const command of commands) if (journal.differences.length === 0) await world.do(command);
    if (journal.differences.length === 0) await world.heal();
  } catch (error) {
    journal.differ(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    restore();
  }
  const { differences, calls } = journal;
  return { differences, requests: server.asked.length, outcomes: calls.outcomes };
}

/** What each page wants and has heard. */
export const pagesModel: Model<ModelCommand> = { folder: 'model', plans, sentenceOf, play };
