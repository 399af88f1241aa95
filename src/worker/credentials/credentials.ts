import type { CredentialsReason, CredentialsReply } from '../../shared/credentials.ts';
import { RENEWAL_PATIENCE } from '../../shared/deadlines.ts';
import type { Delivery } from '../../shared/delivery.ts';
import type { Credentials, CredentialsPort, Provided } from '../contracts/credentials.ts';
import type { System } from '../platform/system.ts';
import { inTime } from '../platform/waiting.ts';
import { Question, isUsable, reasonToAsk } from './question.ts';
import type { Answer, Held } from './question.ts';

export interface HeldCredentialsPorts extends Pick<System, 'clock' | 'uuid' | 'isOnline'> {
  readonly tell: (page: string, delivery: Delivery) => void;
  /** True where that page has not said that it is for the present identity: what it would give may be another user's. */
  readonly isStranger: (page: string) => boolean;
}

interface UnderWay {
  readonly id: string;
  readonly question: Question;
  readonly provided: Promise<Provided>;
}

const NONE: Provided = { kind: 'none' };

/**
 * The entry: what pages' providers have given, by origin. It is held in memory only (invariant 14), and as long as some
 * page provides for the origin. One question of an origin is under way, however many requests wait for the answer.
 */
export class HeldCredentials implements CredentialsPort {
  readonly #ports: HeldCredentialsPorts;
  readonly #providers: Providers;
  readonly #held = new Map<string, Held>();
  readonly #underWay = new Map<string, UnderWay>();

  constructor(ports: HeldCredentialsPorts) {
    this.#ports = ports;
    this.#providers = new Providers(ports.isStranger);
  }

  /** A page provides for these origins and no others. Returns the same as `recognized`. */
  setOrigins(page: string, origins: readonly string[]): boolean {
    const isStranger = this.#ports.isStranger(page);
    const removed = this.#providers.set(page, origins);
    for (const origin of isStranger ? [...removed, ...origins] : removed) {
      this.#lose(page, origin);
      if (!isStranger && !this.#providers.has(origin)) this.#underWay.get(origin)?.question.conclude(REMOVED);
    }
    return this.recognized(page);
  }

  /** The page may be a stranger no more: then its origins count from here on. True where they do, and there are any. */
  recognized(page: string): boolean {
    if (this.#ports.isStranger(page)) return false;
    const origins = this.#providers.originsOf(page);
    for (const origin of origins) this.#underWay.get(origin)?.question.look();
    return origins.length > 0;
  }

  /** Visible pages are asked first. */
  setHidden(page: string, hidden: boolean): void {
    this.#providers.setHidden(page, hidden);
  }

  /** The page is gone, for good or for a while. A question waits for another: a page may be loading again. */
  leave(page: string): void {
    for (const origin of this.#providers.leave(page)) this.#lose(page, origin);
  }

  /** A page answers the question of that id; an outdated one has no effect. False for a stranger, whose answer counts for nothing. */
  hear(page: string, id: string, reply: CredentialsReply): boolean {
    if (this.#ports.isStranger(page)) return false;
    const asked = [...this.#underWay.values()].find((each) => each.id === id);
    asked?.question.hear(page, reply);
    return true;
  }

  /** Forgets all that was given; answers on their way count no more. Providers are asked afresh. */
  drop(): void {
    this.#held.clear();
    const questions = [...this.#underWay.values()];
    this.#underWay.clear();
    for (const { question } of questions) question.conclude(DROPPED);
  }

  isProvided(url: string): boolean {
    return this.#providers.has(new URL(url).origin);
  }

  held(url: string): Credentials | null {
    return this.#held.get(new URL(url).origin) ?? null;
  }

  async provide(url: string): Promise<Provided> {
    const { origin } = new URL(url);
    if (!this.#providers.has(origin)) return NONE;
    const held = this.#held.get(origin) ?? null;
    const now = this.#ports.clock.now();
    const reason = reasonToAsk(held, now);
    if (held && reason === null) return { kind: 'given', credentials: held };
    const { provided } = this.#underWay.get(origin) ?? this.#ask(origin, reason ?? 'first');
    return held && isUsable(held, now) ? this.#unlessLate(provided, held) : provided;
  }

  renew(url: string, refused: Credentials): Promise<Provided> {
    const { origin } = new URL(url);
    const held = this.#held.get(origin);
    if (held === refused) this.#held.set(origin, { ...held, isRefused: true });
    return this.provide(url);
  }

  /** What is held still serves while the next is asked for: a provider that fails now, or is slow, holds nothing up. */
  async #unlessLate(provided: Promise<Provided>, held: Held): Promise<Provided> {
    const given: Provided = { kind: 'given', credentials: held };
    const late = 'The provider takes long';
    const renewed = await inTime(this.#ports.clock, RENEWAL_PATIENCE, late, provided).catch(() => given);
    return renewed.kind === 'failed' ? given : renewed;
  }

  #ask(origin: string, reason: CredentialsReason): UnderWay {
    const { clock, uuid, tell } = this.#ports;
    const id = uuid();
    const question = new Question({
      clock,
      next: (asked) => this.#providers.next(origin, asked),
      ask: (page) => tell(page, { kind: 'credentials-wanted', question: id, origin, reason }),
    });
    const underWay: UnderWay = { id, question, provided: this.#answered(origin, id, question.run()) };
    this.#underWay.set(origin, underWay);
    return underWay;
  }

  async #answered(origin: string, id: string, answering: Promise<Answer>): Promise<Provided> {
    const answer = await answering;
    if (this.#underWay.get(origin)?.id !== id) return this.#failed(origin, DROPPED);
    this.#underWay.delete(origin);
    if (answer.kind === 'failed') return this.#failed(origin, answer);
    const { headers, expiresAt } = answer;
    const held = { headers, expiresAt, givenAt: this.#ports.clock.now(), isRefused: false };
    if (this.#providers.has(origin)) this.#held.set(origin, held);
    return { kind: 'given', credentials: held };
  }

  /** Without a network a provider fails because of that. */
  #failed(origin: string, answer: Failed): Provided {
    const code = this.#ports.isOnline() ? 'credentials' : 'offline';
    return { kind: 'failed', failure: { code, message: `No credentials for ${origin}: ${answer.message}` } };
  }

  #lose(page: string, origin: string): void {
    if (!this.#providers.has(origin)) this.#held.delete(origin);
    this.#underWay.get(origin)?.question.lose(page);
  }
}

type Failed = Extract<Answer, { readonly kind: 'failed' }>;

const DROPPED: Failed = { kind: 'failed', message: 'they were dropped while the provider was asked' };

const REMOVED: Failed = { kind: 'failed', message: 'the provider was removed while it was asked' };

/** Which pages have a provider for which origins. A page is named by its session. What strangers have is kept, and counts for nothing. */
export class Providers {
  readonly #isStranger: (page: string) => boolean;
  readonly #origins = new Map<string, Set<string>>();
  /** The pages by origin, in the order in which they came. */
  readonly #pages = new Map<string, Set<string>>();
  readonly #hidden = new Set<string>();

  constructor(isStranger: (page: string) => boolean) {
    this.#isStranger = isStranger;
  }

  /** The page provides for these origins and no others. Returns the origins for which it no longer does. */
  set(page: string, origins: readonly string[]): readonly string[] {
    const before = this.#origins.get(page) ?? new Set<string>();
    const now = new Set(origins);
    const removed = [...before].filter((origin) => !now.has(origin));
    for (const origin of removed) this.#remove(origin, page);
    for (const origin of now) this.#pages.set(origin, (this.#pages.get(origin) ?? new Set()).add(page));
    if (now.size > 0) this.#origins.set(page, now);
    else this.#origins.delete(page);
    return removed;
  }

  setHidden(page: string, hidden: boolean): void {
    if (hidden) this.#hidden.add(page);
    else this.#hidden.delete(page);
  }

  /** Returns the origins for which the page provided. */
  leave(page: string): readonly string[] {
    this.#hidden.delete(page);
    return this.set(page, []);
  }

  originsOf(page: string): readonly string[] {
    return [...(this.#origins.get(page) ?? [])];
  }

  has(origin: string): boolean {
    return this.#knownFor(origin).length > 0;
  }

  /** The page to ask next: a visible one before a hidden one; null if all have been asked. */
  next(origin: string, asked: ReadonlySet<string>): string | null {
    const left = this.#knownFor(origin).filter((page) => !asked.has(page));
    return left.find((page) => !this.#hidden.has(page)) ?? left[0] ?? null;
  }

  #knownFor(origin: string): readonly string[] {
    return [...(this.#pages.get(origin) ?? [])].filter((page) => !this.#isStranger(page));
  }

  #remove(origin: string, page: string): void {
    const pages = this.#pages.get(origin);
    pages?.delete(page);
    if (pages?.size === 0) this.#pages.delete(origin);
  }
}
