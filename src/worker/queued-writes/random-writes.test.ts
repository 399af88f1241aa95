import { expect, test } from 'vitest';
import type { Decision, WriteReport } from '../../shared/outbox.ts';
import type { Wish } from '../cache/invocation.fixture.ts';
import { json, unreachable } from '../platform/system.fixture.ts';
import type { Seen } from '../platform/system.fixture.ts';
import { decide, FORM, made } from './named-writes.fixture.ts';
import { bodyOf, EDIT, OutboxStage, rounds } from './outbox-stage.fixture.ts';
import type { OutboxTab } from './outbox-stage.fixture.ts';
import { TroubledDisk } from './troubled-disk.fixture.ts';

// Writes that name each other are queued, decided about, refused and lost on the way, and workers die, all at random.

const RUNS = 50;
const STEPS = 40;

/** Numbers from 0 up to 1, the same ones for each seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const temporaryId = (n: number): string => `temporary-${n.toString(16).padStart(32, '0')}`;
const idOf = (n: number): number => 1_000 + n;

/** A write of the run, and the numbers of those whose things it names. */
interface Known {
  readonly n: number;
  readonly lane: string;
  readonly refs: readonly number[];
  readonly isMaker: boolean;
  /** True where somebody has discarded it. */
  isGone: boolean;
}

const MOODS = ['ok', 'ok', 'down', '503', 'lost'] as const;

class Run {
  readonly wrong: unknown[] = [];
  readonly #disk = new TroubledDisk();
  readonly #stage = new OutboxStage(this.#disk);
  readonly #random: () => number;
  readonly #decides: boolean;
  readonly #known: Known[] = [];
  readonly #keys = new Set<string>();
  readonly #performed: number[] = [];
  #mood: (typeof MOODS)[number] | '422' = 'ok';
  #tab: OutboxTab;

  constructor(seed: number, decides: boolean) {
    this.#random = randomOf(seed);
    this.#decides = decides;
    this.#stage.answer = (seen) => this.#answer(seen);
    this.#tab = this.#stage.open();
  }

  async play(): Promise<readonly unknown[]> {
    await this.#tab.greet();
    for (let step = 0; step < STEPS; step += 1) {
      await this.#step(step);
      if (this.#random() < 0.5) await turns(this.#below(12));
    }
    [this.#mood, this.#disk.isFull] = ['ok', false];
    await this.#end();
    return this.wrong;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<Value>(all: readonly Value[]): Value {
    const picked = all[this.#below(all.length)];
    if (picked === undefined) throw new Error('There is nothing to pick');
    return picked;
  }

  async #step(step: number): Promise<void> {
    const kind = this.#random();
    if (kind < 0.45) await this.#queue();
    else if (kind < 0.55) this.#mood = this.#pick(this.#decides ? [...MOODS, '422'] : MOODS);
    else if (kind < 0.62) await this.#die();
    else if (kind < 0.68) this.#disk.isFull = !this.#disk.isFull && this.#random() < 0.7;
    else if (kind < 0.78) void this.#tab.remote.control({ kind: 'online' });
    else if (kind < 0.9 || !this.#decides) await this.#pass(this.#below(8_000));
    else await this.#decide(step);
  }

  async #queue(): Promise<void> {
    const n = this.#known.length + 1;
    const makers = this.#known.filter((each) => each.isMaker && !each.isGone);
    const some = makers.length > 0 && this.#random() < 0.7 ? [this.#pick(makers).n] : [];
    const refs = some.length > 0 && this.#random() < 0.3 ? [...some, this.#pick(makers).n] : some;
    const write = {
      n,
      lane: this.#pick(['a', 'b', 'c']),
      refs,
      isMaker: this.#random() < 0.4,
      isGone: false,
    };
    if (this.#disk.isFull) return;
    this.#known.push(write);
    const [inPath] = this.#random() < 0.5 ? refs : [];
    const body = { kind: 'text', text: formOf(n, inPath === undefined ? refs : refs.slice(1)) } as const;
    const wish: Wish =
      inPath === undefined
        ? { ...FORM, body }
        : { ...FORM, body, template: '/photo/{id}', params: [['id', temporaryId(inPath)]] };
    const creates = { temporaryId: temporaryId(n), at: '/id' };
    await this.#tab.queue(n, '', wish, { lane: write.lane, ...(write.isMaker && { creates }) });
    if (!this.#tab.queued.includes(n)) this.wrong.push(['not queued', n]);
  }

  async #die(): Promise<void> {
    this.#stage.restart();
    this.#tab = this.#stage.open();
    await this.#tab.greet();
  }

  async #decide(step: number): Promise<void> {
    const list = await this.#tab.list();
    if (list.length === 0) return;
    const report = this.#pick(list);
    const how = this.#random();
    if (how < 0.4) await this.#say(report, { kind: 'retry' });
    else if (how < 0.7) await this.#say(report, this.#editOf(report, step));
    else await this.#discard(report);
  }

  #editOf({ entry, params }: WriteReport, step: number): Decision {
    const { n, refs } = this.#knownAs(entry);
    const text = formOf(n, refs);
    return {
      ...EDIT,
      key: `${entry} ${step}`,
      params: params.length > 0 ? [['id', temporaryId(refs[0] ?? 0)]] : null,
      body: { kind: 'text', text },
    };
  }

  async #discard(report: WriteReport): Promise<void> {
    this.#knownAs(report.entry).isGone = true;
    await this.#say(report, { kind: 'discard' });
  }

  /** A full disk may refuse it. */
  async #say({ entry }: WriteReport, decision: Decision): Promise<void> {
    await decide(this.#tab, entry, decision).catch(() => {});
  }

  #knownAs(entry: string): Known {
    const known = this.#known.find(({ n }) => `entry-${n}` === entry);
    if (!known) throw new Error('Nobody has queued that');
    return known;
  }

  async #answer(seen: Seen): Promise<Response> {
    const mood = this.#mood;
    if (this.#random() < 0.3) await turns(1);
    const isKnown = this.#keys.has(keyOf(seen));
    if (mood === 'down') return unreachable();
    if (mood === '503') return json({}, {}, 503);
    if (mood === '422' && !isKnown) return json({}, {}, 422);
    const answer = this.#perform(seen);
    return mood === 'lost' ? unreachable() : answer;
  }

  #perform(seen: Seen): Response {
    const form = new URLSearchParams(bodyOf(seen));
    const n = Number(form.get('n'));
    const path = new URL(seen.url).pathname;
    const named = [...form.getAll('ref'), ...(path.startsWith('/photo/') ? [path.slice(7)] : [])];
    const ids = this.#known[n - 1]?.refs.map((each) => String(idOf(each))) ?? [];
    if (named.some((each) => !ids.includes(each))) this.wrong.push(['names another', n, named]);
    if (!this.#keys.has(keyOf(seen))) {
      if (this.#performed.includes(n)) this.wrong.push(['twice', n]);
      this.#keys.add(keyOf(seen));
      this.#performed.push(n);
    }
    return made(idOf(n));
  }

  /** All is sent, or comes to somebody, who tries again what was refused, and discards what can never be sent. */
  async #end(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      await this.#pass(60_000);
      const left = await this.#tab.list();
      if (left.length === 0) break;
      for (const each of left) {
        const isLost = each.failure?.code === 'outbox';
        if (isLost && !this.#knownAs(each.entry).refs.some((ref) => this.#known[ref - 1]?.isGone))
          this.wrong.push(['lost without a reason', each.entry]);
        if (each.state === 'review' && isLost) await this.#discard(each);
        else if (each.state === 'review') await this.#say(each, { kind: 'retry' });
      }
    }
    const left = await this.#tab.list();
    if (left.length > 0) this.wrong.push(['left', left.map(({ entry, state }) => [entry, state])]);
    for (const { n, isGone } of this.#known)
      if (!isGone && !this.#performed.includes(n)) this.wrong.push(['not performed', n]);
    if (!this.#decides) this.#assertOrder();
  }

  #assertOrder(): void {
    for (const lane of ['a', 'b', 'c']) {
      const order = this.#performed.filter((n) => this.#known[n - 1]?.lane === lane);
      if (order.some((n, index) => n < (order[index - 1] ?? 0))) this.wrong.push(['order', lane, order]);
    }
  }

  /** In steps, in which transactions get their turns: their clock is not the virtual one. Until nothing waits. */
  async #pass(milliseconds: number): Promise<void> {
    const step = milliseconds > 10_000 ? 3_000 : 500;
    for (let left = milliseconds; left > 0; left -= step) {
      await this.#stage.world.clock.advance(Math.min(left, step));
      await rounds(3);
      if (this.#tab.waiting === 0) return;
    }
  }
}

function formOf(n: number, refs: readonly number[]): string {
  const fields = refs.map((each): [string, string] => ['ref', temporaryId(each)]);
  return new URLSearchParams([['n', String(n)], ...fields]).toString();
}

function keyOf({ headers }: Seen): string {
  return headers.get('Idempotency-Key') ?? '';
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

test.each([
  ['nobody decides about any', false],
  ['somebody decides about some', true],
])('each write has one effect, with the ids of what it names, while %s', async (_name, decides) => {
  const wrong: unknown[] = [];
  for (let seed = 1; seed <= RUNS; seed += 1)
    wrong.push(...(await new Run(seed, decides).play()).map((each) => [seed, each]));
  expect(wrong).toEqual([]);
});
