import { expose, wrap } from 'comlink';
import { Channel } from '../../shared/channel.ts';
import type { Send } from '../../shared/channel.ts';
import type { CallInspection } from '../../shared/inspection.ts';
import { PROTOCOL, WORKER_CALLS } from '../../shared/protocol.ts';
import type {
  Command,
  Greeting,
  PageApi,
  Reply,
  Submission,
  Welcome,
  WorkerApi,
} from '../../shared/protocol.ts';
import { unreachable } from '../../shared/unreachable.ts';
import { Calls } from './calls.ts';
import type { Services } from './services.ts';

/** Longer than this no event is held for a page that only wants the worker to stay (design section 5.5). */
const STAY = 20_000;

const DONE: Reply = { kind: 'done' };

/** One session of one page: its line, its calls, and what it may ask for. */
export class Page implements WorkerApi {
  readonly #name: string;
  readonly #services: Services;
  readonly #channel: Channel;
  readonly #calls: Calls;
  readonly #now: () => number;
  #work: Promise<unknown>[] = [];
  #greeted = false;

  constructor(name: string, services: Services, now: () => number, send: Send) {
    this.#name = name;
    this.#services = services;
    this.#now = now;
    this.#calls = new Calls(name, services);
    this.#channel = new Channel(WORKER_CALLS, send);
    expose(this, this.#channel.incoming);
    const remote = wrap<PageApi>(this.#channel.outgoing);
    services.hub.open(name, (batch) => remote.deliver(batch));
  }

  /** Lets one message in; resolves when the work that it started is done, so that its event can be held so long. */
  async receive(message: unknown): Promise<void> {
    this.#work = [];
    this.#channel.receive(message);
    await Promise.all(this.#work);
  }

  greet(greeting: Greeting): Promise<Welcome> {
    this.#services.hub.resend(this.#name);
    return this.#hold(this.#welcome(greeting));
  }

  submit(batch: readonly Submission[]): void {
    for (const submission of batch) void this.#hold(this.#calls.take(submission, this.#now()));
  }

  control(command: Command): Promise<Reply> {
    return this.#hold(this.#obey(command));
  }

  /** The page is gone: nothing of it remains (invariant 13). */
  close(): void {
    this.#services.loops.stopAll(this.#name);
    this.#services.hub.close(this.#name);
    this.#calls.abortAll();
    this.#channel.close();
  }

  inspect(): CallInspection[] {
    return this.#calls.inspect();
  }

  #hold<T>(work: Promise<T>): Promise<T> {
    this.#work.push(work);
    return work;
  }

  async #welcome(greeting: Greeting): Promise<Welcome> {
    if (greeting.protocol !== PROTOCOL) return refusal(greeting.protocol);
    const { instance } = this.#services;
    const resumed = this.#greeted;
    this.#greeted = true;
    return { kind: 'welcome', protocol: PROTOCOL, instance, lock: await this.#services.lock, resumed };
  }

  async #obey(command: Command): Promise<Reply> {
    const { loops } = this.#services;
    switch (command.kind) {
      case 'abort':
        this.#calls.abort(command.ids);
        return DONE;
      case 'declare':
        loops.declare(this.#name, command.declaration);
        return DONE;
      case 'pace':
        loops.find(this.#name, command.loop)?.setInterval(command.interval);
        return DONE;
      case 'cut':
        loops.find(this.#name, command.loop)?.cut();
        return DONE;
      case 'tell':
        loops.find(this.#name, command.loop)?.setTell(command.tell);
        return DONE;
      case 'stop':
        loops.stop(this.#name, command.loop);
        return DONE;
      case 'leave':
        loops.stopAll(this.#name);
        return DONE;
      case 'online':
        loops.wakeUp();
        return DONE;
      case 'stay':
        await this.#services.sleep(STAY);
        return DONE;
      case 'clear-cache':
        await this.#services.clearCache();
        return DONE;
      case 'inspect':
        return { kind: 'inspection', inspection: await this.#services.inspect() };
      default:
        return unreachable(command);
    }
  }
}

function refusal(spoken: number): Welcome {
  const message = `The page speaks protocol ${spoken}, the worker ${PROTOCOL}: load the page again`;
  return { kind: 'refused', failure: { code: 'protocol', message } };
}
