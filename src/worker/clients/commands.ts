import { KEEPALIVE_HOLD } from '../../shared/deadlines.ts';
import type { Failure } from '../../shared/failure.ts';
import type { Identity } from '../../shared/identity.ts';
import type { OutboxPage } from '../../shared/outbox.ts';
import type { Command, Reply, StoredCommand } from '../../shared/protocol.ts';
import { unreachable } from '../../shared/unreachable.ts';
import type { Calls } from './calls.ts';
import type { Drain, Services } from './services.ts';

const DONE: Reply = { kind: 'done' };

/** Commands that an ending worker does not answer: a page that hears nothing gives them to the next worker. */
export const FOR_THE_NEXT: ReadonlySet<Command['kind']> = new Set([
  'decide',
  'keepalive',
  'online',
  'sign-in',
  'sign-out',
]);

/** Commands after which nothing more comes, so the page need not greet for them. */
export const FAREWELLS: ReadonlySet<Command['kind']> = new Set(['leave', 'close']);

/** The page that gives a command, and all that a command can act on. */
export interface Commanding {
  readonly name: string;
  readonly services: Services;
  readonly calls: Calls;
  readonly drain: Drain;
  readonly setHidden: (hidden: boolean) => void;
  /** The page is told nothing until it greets again. */
  readonly leave: () => void;
  readonly closed: () => void;
}

/** Does what a page says between two greetings, except a keepalive that the keepalive leader chooses for. */
export async function obey(command: Command, page: Commanding): Promise<Reply> {
  const { name, services, calls, drain } = page;
  const { loops } = services;
  switch (command.kind) {
    case 'abort':
      calls.abort(command.ids);
      return DONE;
    case 'declare':
      // The page learns that another identity has come, and ends the loop.
      if (!drain.begun && services.identity.isPresent(command.epoch))
        loops.declare(name, command.declaration);
      return DONE;
    case 'pace':
      loops.find(name, command.loop)?.setInterval(command.interval);
      return DONE;
    case 'cut':
      loops.find(name, command.loop)?.cut();
      return DONE;
    case 'interest':
      loops.find(name, command.loop)?.setInterest(command.interest);
      return DONE;
    case 'stop':
      loops.stop(name, command.loop);
      return DONE;
    case 'leave':
      page.leave();
      return DONE;
    case 'close':
      page.closed();
      return DONE;
    case 'visibility':
      loops.setHidden(name, command.hidden);
      page.setHidden(command.hidden);
      return DONE;
    case 'provides':
      if (services.credentials.setOrigins(name, command.origins)) services.outbox.renewed();
      return DONE;
    case 'credentials': {
      const counts = services.credentials.hear(name, command.question, command.reply);
      if (counts && command.reply.kind === 'given') services.outbox.renewed();
      return DONE;
    }
    case 'adopt':
      if (services.identity.isPresent(command.epoch)) await services.engine.adopt(command.answers);
      return DONE;
    case 'online':
      services.outbox.online();
      // A page that hears `done` does not tell the next worker.
      return (await loops.wakeUp()) ? DONE : { kind: 'not-stored' };
    case 'keepalive':
      // The page cannot see the worker's death, so it is always answered.
      await services.sleep(KEEPALIVE_HOLD, drain.signal);
      return DONE;
    default:
      return await answer(command, page);
  }
}

/** Commands that are given for their reply. */
async function answer(command: Extract<Command, { kind: Question }>, page: Commanding): Promise<Reply> {
  const { services, drain } = page;
  switch (command.kind) {
    case 'drain':
      await drain.run();
      return DONE;
    case 'clear-cache':
      await services.clearCache();
      return DONE;
    case 'list-stored':
    case 'read-stored':
    case 'remove-stored':
      return await ofStored(command, services);
    case 'inspect':
      return { kind: 'inspection', inspection: await services.inspect() };
    case 'part': {
      const { invocation, part, epoch } = command;
      if (!services.identity.isPresent(epoch)) return { kind: 'part', part: { kind: 'not-stored' } };
      const rows = await services.engine.part(invocation, part);
      // Another identity may have come meanwhile.
      return { kind: 'part', part: services.identity.isPresent(epoch) ? rows : { kind: 'not-stored' } };
    }
    case 'list-outbox': {
      const { after, entries, isBrief = false, epoch } = command;
      if (!services.identity.isPresent(epoch)) return { kind: 'outbox-page', page: NOTHING_WAITS };
      const found = await services.outbox.list(after, entries, isBrief);
      // Another identity may have come meanwhile.
      return { kind: 'outbox-page', page: services.identity.isPresent(epoch) ? found : NOTHING_WAITS };
    }
    case 'decide': {
      const { entry, decision, epoch } = command;
      const isPresent = services.identity.isPresent(epoch);
      return { kind: 'decided', as: isPresent ? await services.outbox.decide(entry, decision) : 'absent' };
    }
    case 'sign-in':
      return signed(await signedIn(command.name, services));
    case 'sign-out':
      if (command.pendingWrites === 'discard') {
        // A page of the user before discards nothing of the present one, and must not believe that it has.
        if (!services.identity.isPresent(command.epoch)) return { kind: 'failed', failure: NOT_DISCARDED };
        await services.outbox.discardAll();
      }
      return signed(await services.identity.sign(null));
    default:
      return unreachable(command);
  }
}

/** Where the same user goes on, the server may take what it has refused before. */
async function signedIn(
  name: string,
  services: Pick<Services, 'identity' | 'outbox'>,
): Promise<Identity | Failure> {
  const before = services.identity.present?.epoch;
  const identity = await services.identity.sign(name);
  if ('epoch' in identity && identity.epoch === before) services.outbox.renewed();
  return identity;
}

function signed(identity: Identity | Failure): Reply {
  return 'code' in identity ? { kind: 'failed', failure: identity } : { kind: 'identity', identity };
}

const NOT_DISCARDED: Failure = {
  code: 'identity-changed',
  message: 'Somebody else is signed in now, or nobody: nobody was signed out, and no write was discarded',
};

const NOTHING_WAITS: OutboxPage = { entries: [], next: null };

type Question =
  | 'drain'
  | 'clear-cache'
  | `${'list' | 'read' | 'remove'}-stored`
  | 'inspect'
  | 'part'
  | 'list-outbox'
  | 'decide'
  | 'sign-in'
  | 'sign-out';

/** A page of another identity than the present one sees nothing of it, nor does one that has not said who it is for. */
async function ofStored(
  command: StoredCommand,
  { identity, stored }: Pick<Services, 'identity' | 'stored'>,
): Promise<Reply> {
  if (!identity.isPresent(command.epoch)) return NOTHING_STORED[command.kind];
  const reply = await shown(command, stored);
  // Another identity may have come meanwhile.
  return identity.isPresent(command.epoch) ? reply : NOTHING_STORED[command.kind];
}

async function shown(command: StoredCommand, stored: Services['stored']): Promise<Reply> {
  switch (command.kind) {
    case 'list-stored':
      return { kind: 'stored-page', page: await stored.list(command.after) };
    case 'read-stored':
      return { kind: 'stored-answer', answer: await stored.read(command.url) };
    case 'remove-stored':
      await stored.remove(command.url);
      return DONE;
    default:
      return unreachable(command);
  }
}

const NOTHING_STORED: Readonly<Record<StoredCommand['kind'], Reply>> = {
  'list-stored': { kind: 'stored-page', page: { entries: [], next: null } },
  'read-stored': { kind: 'stored-answer', answer: null },
  'remove-stored': DONE,
};
