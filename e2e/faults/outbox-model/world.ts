import { unreachable } from '../../../src/shared/unreachable.ts';
import { Disk } from '../model/disk.ts';
import { playGlobals } from '../model/globals.ts';
import { Locks } from '../model/locks.ts';
import { PageLink } from '../model/page-link.ts';
import type { Model, Plan, Played } from '../model/run.ts';
import { Timeline } from '../model/timeline.ts';
import { Registration } from '../model/worker.ts';
import { Random } from '../random.ts';
import { Deciding } from './deciding.ts';
import { Ledger } from './ledger.ts';
import { Origin } from './origin.ts';
import { outboxPlans, outboxSentenceOf, TABS } from './plan.ts';
import type { OutboxCommand, TabStep, User } from './plan.ts';
import { settled } from './settle.ts';
import { Tab } from './tab.ts';
import { isWaiting } from './written.ts';

/** Milliseconds in which a wish of a page is answered, whatever becomes of the worker meanwhile. */
const PATIENCE = 60_000;

/** Milliseconds after which a worker has taken back what waits, once it can. */
const TAKEN_BACK = 70_000;

/** Milliseconds after which a worker has copied what could not be copied before it. */
const AGREED = 15_000;

/** Two tabs, one worker, its disk and a server, and what users have written. */
export class OutboxWorld {
  readonly timeline: Timeline = new Timeline();
  readonly ledger: Ledger = new Ledger(this.timeline);
  readonly origin: Origin;
  readonly tabs: (Tab | null)[] = [];
  readonly #random: Random;
  readonly #locks = new Locks(this.timeline);
  readonly #disk = new Disk(this.timeline);
  /** Its files are others. */
  readonly #spare = new Disk(this.timeline);
  readonly #registration: Registration;
  readonly #deciding = new Deciding(this.ledger);
  #opened = 0;
  /** How often somebody had signed in or out when copies failed for the first time; null before. */
  #signsBefore: number | null = null;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.origin = new Origin(this.timeline, this.#random, this.ledger);
    this.#registration = new Registration({
      timeline: this.timeline,
      random: this.#random,
      locks: this.#locks,
      disk: this.#disk,
      spare: this.#spare,
      server: this.origin,
      isPresent: (client) => this.tabs.some((tab) => tab?.name === client),
      ended: () => {
        this.ledger.end();
        for (const tab of this.tabs) tab?.lose();
      },
    });
  }

  get globals(): Parameters<typeof playGlobals>[0] {
    return { timeline: this.timeline, disk: this.#disk, locks: this.#locks };
  }

  async begin(): Promise<void> {
    for (let nth = 0; nth < TABS; nth += 1) await this.open(nth);
    await this.sign(0, 'anna');
  }

  /** Does one thing; what cannot be done now is left. */
  async do(command: OutboxCommand): Promise<void> {
    await this.#do(command);
    for (const tab of this.tabs) if (tab) this.timeline.schedule(tab, 0, () => tab.look(true));
    await this.timeline.pass(0);
  }

  async #do(command: OutboxCommand): Promise<void> {
    const tab = 'tab' in command ? this.tabs[command.tab] : null;
    switch (command.kind) {
      case 'write':
        return this.as(tab, (each) => each.write(command.action, command.pick));
      case 'decide':
        return this.as(tab, (each) => each.decide(command.decision, command.pick));
      case 'poll':
        return this.as(tab, (each) => each.poll(command.interval));
      case 'sign':
        return this.sign(command.tab, command.user);
      case 'elsewhere':
        return void (
          this.origin.cookie && this.origin.elsewhere(this.origin.cookie, command.does, command.pick)
        );
      case 'kill':
        return void this.timeline.schedule(null, command.after, () => this.#registration.kill());
      case 'lose':
        return this.#lose();
      case 'spare':
        return this.becomeSpare(command.state);
      case 'server':
        return this.become(command.state);
      case 'pass':
        return this.timeline.pass(command.milliseconds);
      default:
        return this.#step(command.tab, command.kind);
    }
  }

  /** A known limit: what was acknowledged without a copy has one only after the next start of a worker. */
  async #agree(): Promise<void> {
    this.becomeSpare('works');
    await this.#step(0, 'close');
    this.#registration.kill();
    await this.open(0);
    await this.timeline.pass(AGREED);
  }

  /** The place for copies works from now on, or fails. */
  becomeSpare(state: 'works' | 'fails'): void {
    const { ledger } = this;
    if (state === 'works' && !this.#spare.works) ledger.troubledUntil = ledger.now + TAKEN_BACK;
    this.#spare.become(state);
    if (state === 'fails') {
      ledger.troubledUntil = Infinity;
      ledger.troubles += 1;
      // Documented: what does not come from the copies for so long is overtaken.
      for (const each of ledger.writes) each.comesLate ||= each.losses < ledger.losses && isWaiting(each);
      this.#signsBefore ??= ledger.signs;
    }
    for (const tab of this.tabs) tab?.disturb();
  }

  /** The browser ends with all tabs, and deletes all databases as it starts. */
  async #lose(): Promise<void> {
    if (this.ledger.troubles > 0) await this.#agree();
    for (let nth = 0; nth < TABS; nth += 1) await this.#step(nth, 'crash');
    this.#registration.kill();
    // A known limit: what could not be copied is when its user is there again.
    if (this.#signsBefore === null || this.ledger.signs === this.#signsBefore) {
      await this.#disk.lose();
      this.ledger.losses += 1;
    }
    await this.timeline.pass(1_000);
  }

  async #step(nth: number, kind: TabStep): Promise<void> {
    const tab = this.tabs[nth];
    switch (kind) {
      case 'open':
        return this.open(nth);
      case 'close':
      case 'crash':
        await this.as(tab, (each) => each[kind]());
        if (tab) this.#locks.forget(tab);
        this.tabs[nth] = null;
        return;
      case 'refresh':
      case 'stop':
      case 'subscribe':
      case 'unsubscribe':
        return this.as(tab, (each) => each[kind]());
      default:
        return unreachable(kind);
    }
  }

  async open(nth: number): Promise<void> {
    if (this.tabs[nth]) return;
    const { timeline, ledger } = this;
    const around = { timeline, random: this.#random, journal: ledger };
    const name = `tab ${nth} opened as ${(this.#opened += 1)}`;
    const tab = new Tab(name, {
      ledger,
      deciding: this.#deciding,
      cookie: () => this.origin.cookie,
      link: (owner) => new PageLink(owner, { ...around, registration: this.#heardBy(owner) }),
      sleep: (owner, milliseconds) => timeline.sleep(owner, milliseconds),
    });
    this.tabs[nth] = tab;
    const user = this.origin.cookie;
    if (user) await this.as(tab, () => void tab.enterAs(user, () => this.origin.cookie === user));
  }

  /** As an app does it: the server's session ends, Offstage is told, the next session begins, Offstage is told. */
  async sign(nth: number, user: User | null): Promise<void> {
    const tab = this.tabs[nth];
    if (!tab || user === this.origin.cookie) return;
    // No tab says who was signed in before.
    while (this.tabs.some((each) => each?.isEntering)) await this.timeline.pass(5);
    this.ledger.sign();
    this.origin.cookie = null;
    await this.until(tab, () => tab.connection.signOut());
    if (user === null) return;
    this.origin.cookie = user;
    await this.until(tab, () => tab.connection.signIn(user));
    this.ledger.sign();
  }

  /** The registration, as that tab posts to it. */
  #heardBy(tab: Tab): ConstructorParameters<typeof PageLink>[1]['registration'] {
    const registration = this.#registration;
    return {
      get version() {
        return registration.version;
      },
      get waiting() {
        return registration.waiting;
      },
      watch: (changed) => registration.watch(changed),
      skipWaiting: (replaced) => registration.skipWaiting(replaced),
      post: (sourceFor, data) => {
        if (isGreeting(data)) tab.touch();
        registration.post(sourceFor, data);
      },
    };
  }

  async become(state: Origin['state']): Promise<void> {
    const isBack = !this.origin.isOnline && state !== 'cut';
    this.origin.become(state);
    if (isBack) for (const tab of this.tabs) await this.as(tab, (each) => each.hearOnline());
  }

  /** Does that in a tab that is there. */
  async as(tab: Tab | null | undefined, work: (tab: Tab) => void): Promise<void> {
    if (!tab) return;
    this.timeline.schedule(tab, 0, () => work(tab));
    await this.timeline.pass(0);
  }

  /** Asks, again where no worker has answered, until it is done; what it has brought. */
  async until<Result>(tab: Tab, ask: () => Promise<Result>): Promise<Result | null> {
    const end = this.timeline.now + PATIENCE;
    while (this.timeline.now < end) {
      const asked: { state: 'open' | 'done' | 'refused'; result: Result | null } = {
        state: 'open',
        result: null,
      };
      await this.as(tab, () => {
        ask().then(
          (result) => Object.assign(asked, { state: 'done', result }),
          () => (asked.state = 'refused'),
        );
      });
      while (asked.state === 'open' && this.timeline.now < end) await this.timeline.pass(5);
      if (asked.state === 'done') return asked.result;
      await this.timeline.pass(5);
    }
    this.ledger.differ(`a wish of ${tab.name} is not answered`);
    return null;
  }
}

/** Anything else that a page says to a worker that it has not greeted is not heard. */
function isGreeting(data: unknown): boolean {
  return JSON.stringify(data).includes('"path":["greet"]');
}

/** Plays a plan to its end, or to the first difference. */
async function play({ seed, commands }: Plan<OutboxCommand>): Promise<Played> {
  const world = new OutboxWorld(seed);
  const { ledger, origin } = world;
  const { differences } = ledger;
  const restore = playGlobals(world.globals);
  try {
    await world.begin();
    const goesOn = (): boolean => differences.length === 0;
    for (const command of commands) if (goesOn()) await world.do(command);
    if (goesOn()) await settled(world);
  } catch (error) {
    differences.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    restore();
  }
  return { differences, requests: origin.requests, outcomes: ledger.outcomes };
}

/** What becomes of writes that wait, and what lists show of them. */
export const outboxModel: Model<OutboxCommand> = {
  folder: 'outbox-model',
  plans: outboxPlans,
  sentenceOf: outboxSentenceOf,
  play,
};
