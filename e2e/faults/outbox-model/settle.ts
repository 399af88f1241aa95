import type { OutboxEntry } from '../../../src/main/outbox/entry.ts';
import { nameOf } from './ledger.ts';
import { USERS } from './plan.ts';
import type { User } from './plan.ts';
import type { Tab } from './tab.ts';
import type { Origin } from './origin.ts';
import type { Ledger } from './ledger.ts';
import type { Timeline } from '../model/timeline.ts';
import type { Written } from './written.ts';
import { isOrphan, isQueued } from './written.ts';

/** The part of the world that is needed to bring it to rest. */
interface OutboxWorld {
  readonly timeline: Timeline;
  readonly ledger: Ledger;
  readonly origin: Origin;
  readonly tabs: readonly (Tab | null)[];
  become(state: Origin['state']): Promise<void>;
  becomeSpare(state: 'works'): void;
  open(nth: number): Promise<void>;
  sign(nth: number, user: User | null): Promise<void>;
  as(tab: Tab | null | undefined, work: (tab: Tab) => void): Promise<void>;
  until<Result>(tab: Tab, ask: () => Promise<Result>): Promise<Result | null>;
}

/** Milliseconds between two looks, and how many there are at most: more than the longest wait after failures. */
const LOOK = 5_000;
const LOOKS = 30;

/** All is well from now on: each user comes once more, and everything is sent that nobody has discarded. */
export async function settled(world: OutboxWorld): Promise<void> {
  const { ledger } = world;
  await world.become('works');
  world.becomeSpare('works');
  await world.timeline.pass(Math.max(0, ledger.troubledUntil - ledger.now));
  await world.open(0);
  // Lists are asked for at the end.
  for (const tab of world.tabs) await world.as(tab, (each) => each.stop());
  // What a slow server has refused before may still be on its way.
  await world.timeline.pass(LOOK + LOOK);
  // Whoever is signed in stays first, so that what was told to the tabs can be looked at.
  const { cookie } = world.origin;
  const users = [...USERS].toSorted((one, other) => Number(other === cookie) - Number(one === cookie));
  const hasWritten = (user: User): boolean => ledger.writes.some((write) => write.user === user);
  for (const user of users.filter(hasWritten)) if (ledger.differences.length === 0) await settle(world, user);
}

async function settle(world: OutboxWorld, user: User): Promise<void> {
  const { ledger, tabs } = world;
  await world.sign(0, user);
  const [tab] = tabs;
  if (!tab) return;
  // Each app says so: there are other credentials, perhaps, and a page at rest hears nothing of another user.
  for (const each of tabs) if (each) await world.until(each, () => each.connection.signIn(user));
  await decided(world, tab, false);
  if (ledger.differences.length === 0) await decided(world, tab, true);
  if (ledger.differences.length === 0) await lookAtWrites(world, tab, user);
  if (ledger.differences.length === 0) await shown(world, user);
}

/** Everything that needs no decision is sent; where `retries`, everybody decides to send it again. */
async function decided(world: OutboxWorld, tab: Tab, retries: boolean): Promise<void> {
  const { ledger, timeline } = world;
  let waiting: readonly string[] = ['nothing was looked at'];
  for (let look = 0; look < LOOKS && waiting.length > 0 && ledger.differences.length === 0; look += 1) {
    await timeline.pass(LOOK);
    const entries = (await world.until(tab, () => tab.list())) ?? [];
    if (retries)
      for (const entry of entries) if (needsDecision(entry)) await world.until(tab, () => tab.retry(entry));
    const writes = entries
      .map((entry) => ({ entry, write: ledger.ofEntry(entry.id) ?? ledger.ofContent(entry.data) }))
      .filter(({ write }) => !write || !isOrphan(write));
    const going = retries ? writes : goingIn(writes);
    waiting = going.map(({ entry, write }) => `${write ? nameOf(write) : entry.id} is ${entry.state}`);
    await world.as(tab, () => tab.look(true));
  }
  if (ledger.differences.length > 0) return;
  for (const each of waiting) ledger.differ(`${each} though all has been well for long`);
}

interface Waiting {
  readonly entry: OutboxEntry;
  readonly write: Written | undefined;
}

/** Those that nobody has to decide about: neither themselves, nor what they name, nor what holds their lane. */
function goingIn(writes: readonly Waiting[]): readonly Waiting[] {
  const [aside, held, lanes] = [new Set<Written>(), new Set<Written>(), new Set<string>()];
  return writes.filter(({ entry, write }) => {
    const { maker = null } = write ?? {};
    const isAside = entry.state === 'review' || (maker !== null && aside.has(maker));
    const isHeld = entry.state === 'conflict' || lanes.has(entry.lane) || (maker !== null && held.has(maker));
    if (isAside && write) aside.add(write);
    if (isHeld && write) held.add(write);
    // A lane goes on without what is aside.
    if (isHeld && !isAside) lanes.add(entry.lane);
    return !isAside && !isHeld;
  });
}

function needsDecision({ state }: OutboxEntry): boolean {
  return state === 'review' || state === 'conflict';
}

async function lookAtWrites(world: OutboxWorld, tab: Tab, user: User): Promise<void> {
  const { ledger } = world;
  const states = new Map((await world.until(tab, () => tab.list()))?.map(({ id, state }) => [id, state]));
  for (const write of ledger.writes) {
    const isMeant = write.user === user && isQueued(write) && write.call === 'queued';
    if (!isMeant || write.discard !== 'none') continue;
    const isKept = isOrphan(write) && states.get(write.entry ?? '') === 'review';
    if (write.version === null && !isKept) ledger.differ(`${nameOf(write)} is lost`);
  }
}

/** The list that the server has now is shown in each tab, and nothing over it. */
async function shown({ ledger, timeline, tabs }: OutboxWorld, user: User): Promise<void> {
  const open = tabs.filter((tab) => tab !== null);
  await timeline.pass(LOOK);
  for (const tab of open) timeline.schedule(tab, 0, () => tab.refresh());
  await timeline.pass(LOOK);
  for (const tab of open) timeline.schedule(tab, 0, () => tab.look(true));
  await timeline.pass(0);
  if (ledger.differences.length > 0) return;
  for (const tab of open) {
    tab.lookAtEnd(ledger.versionsOf(user).at(-1) ?? []);
    tab.heard.lookForMissing();
  }
}
