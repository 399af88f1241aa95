import type { Failure } from '../../shared/failure.ts';
import type { EventInterest } from '../../shared/protocol.ts';
import { OptimisticChanges } from '../optimistic/changes.ts';
import type { PrefetchOptions, QueryOptions } from '../queries/options.ts';
import { Query } from '../queries/query.ts';
import type { QueryRecord, Reply } from '../queries/record.ts';
import { ResourceQueries } from '../queries/resource-queries.ts';
import type { IdentityFollower } from '../session/signing.ts';
import type { RequestData } from './body.ts';
import { ResourceCalls } from './calls.ts';
import { DeclaredActions } from './declared-actions.ts';
import type { ActionsPorts } from './declared-actions.ts';
import { Followers } from './listening.ts';
import type { Link } from './link.ts';
import type { Loop, LongPollOptions, PollOptions, StartsLoops } from './loop.ts';
import type { LoopRequest, LoopPlan } from './loop-order.ts';
import { longPollPlan, pollPlan } from './loop-order.ts';
import { ResourceLoops } from './loops.ts';
import { immutable } from './notice.ts';
import type { Notice } from './notice.ts';
import { assertRules } from './option-checks.ts';
import { assertParams, copyParams, encodeParams } from './params.ts';
import type { InputParams } from './params.ts';
import { callRules } from './prepare.ts';
import type { Asked, InvokeOptions } from './prepare.ts';
import type { RunningLoop } from './running-loop.ts';

/** Hears which loop may ask at another time; null where the number of writes under way has changed. */
export type PulseListener = (loop: Pick<RunningLoop, 'action' | 'record'> | null) => void;

export interface CorePorts extends ActionsPorts {
  /** The connection, looked up at first use. */
  readonly link: () => Link;
  readonly notify: (notice: Notice) => void;
  /** Which progress events of an action have listeners. */
  readonly interest: (action: string) => EventInterest;
  /** True where anybody listens for answers of the action, or could ask for their results. */
  readonly hears: (action: string) => boolean;
}

/**
 * A REST resource without events: declares actions, invokes them, runs loops, and reports everything to its owner as
 * plain notices. `Resource` is the event layer above it.
 */
export class ResourceCore implements StartsLoops, IdentityFollower {
  readonly actions: DeclaredActions;
  /** These hear of an action's answers and may do without the bodies. */
  readonly followers: Followers = new Followers(() => this.updateInterest(true));
  /** How writes that are not done yet change answers. */
  readonly changes: OptimisticChanges;
  readonly #ports: CorePorts;
  /** The last call of each action. */
  readonly #last = new Map<string, Asked>();
  readonly #lastOfLoop = new Map<string, Asked>();
  readonly #calls: ResourceCalls;
  readonly #loops: ResourceLoops;
  readonly #queries: ResourceQueries;
  /** The connections that tell it when another user has come. */
  readonly #followed = new WeakSet<Link>();
  readonly #watchers = new Set<{ readonly changed: PulseListener }>();

  constructor(baseUrl: string, ports: CorePorts) {
    this.#ports = ports;
    this.actions = new DeclaredActions(baseUrl, { ...ports, mapped: () => this.changes.renew() });
    const notify = (notice: Notice): void => ports.notify(immutable(notice));
    const changed: PulseListener = (loop) => {
      for (const watcher of this.#watchers) watcher.changed(loop);
    };
    const answered = (reply: Reply): void => {
      reply.record.tell(reply);
      this.followers.hear(reply);
    };
    const called = (notice: Notice): void => {
      notify(notice);
      // A loop that succeeds as before would not report it, so the listeners would not hear that all is well again.
      if (notice.type === 'error' || notice.stale) this.#loops.tellNext(notice.action);
      // Of those that were queued, the outbox tells every tab. An app that asks by itself has done so now.
      if (notice.endedAt !== null)
        this.link().pending.done(this.actions.resourceName, notice.action, notice.endedAt);
    };
    const hearsStart: CorePorts['hears'] = (action) => ports.interest(action).started;
    this.#calls = new ResourceCalls({
      notify: called,
      hearsStart,
      answered,
      isOptimistic: (action) => this.actions.find(action)?.options.optimistic !== undefined,
      resource: () => this.actions.useName(),
      changed: () => changed(null),
    });
    const { ledger, turns } = this.#calls;
    const link = (): Link => this.link();
    this.#loops = new ResourceLoops({ link, ledger, turns, notify, answered, changed });
    const { actions } = this;
    this.changes = new OptimisticChanges({
      pending: () => (actions.isChanging ? link().pending : null),
      isOptimistic: () => actions.isOptimistic,
      invalidates: (action, target) => actions.find(action)?.options.invalidates?.includes(target) === true,
      resource: () => actions.resourceName,
      optimismFor: (target) => actions.optimismFor(target),
      creates: (action) => actions.find(action)?.options.creates,
      done: (target) => this.#loops.tellNext(target),
    });
    const { changes } = this;
    this.#queries = new ResourceQueries({
      link,
      actions,
      calls: this.#calls,
      loops: this.#loops,
      changes,
      interest: ports.interest,
    });
  }

  invoke(
    name: string,
    params: InputParams | null | undefined,
    data: RequestData,
    options: InvokeOptions,
  ): number {
    this.actions.get(name);
    assertParams(name, params);
    assertRules(`'${name}'`, options, callRules);
    return this.#send(name, { params: copyParams(params ?? {}), data, options, encoded: null }, false);
  }

  /** Sends the last invocation again, or else the request of the action's loop; null where there is neither. */
  refresh(name: string): number | null {
    this.actions.get(name);
    const last = this.#last.get(name) ?? this.#lastOfLoop.get(name);
    return last ? this.#send(name, last, true) : null;
  }

  /** Asks again for what the action has answered last: a write has changed that. */
  catchUp(name: string): void {
    const answered = this.followers.answered(name);
    if (answered) this.#queries.catchUp(name, answered);
  }

  poll(name: string, params: InputParams | null | undefined, options: PollOptions): Loop {
    return this.#startLoop(name, params, pollPlan(name, options));
  }

  longPoll(name: string, params: InputParams | null | undefined, options: LongPollOptions): Loop {
    const { timeout } = this.actions.get(name).options;
    return this.#startLoop(name, params, longPollPlan(name, options, timeout));
  }

  /** The query of these parameters: the same object for equal options. */
  query(name: string, params: InputParams | null | undefined, options: QueryOptions): Query {
    return this.#queries.query(name, params, options);
  }

  /** Asks, where a query of these parameters would; resolves with the answer. */
  prefetch(name: string, params: InputParams | null | undefined, options: PrefetchOptions): Promise<unknown> {
    return Query.prefetch(this.#queries.query(name, params, options));
  }

  /** Ends the loops of an action; `restartLoops` starts them again. */
  stopLoops(name: string): void {
    this.#loops.stopAction(this.actions.get(name).name);
  }

  restartLoops(name: string): void {
    this.#loops.restartAction(this.actions.get(name).name);
  }

  /** Ends the requests of an action, including those of its loops, or one invocation. */
  abort(target: string | number): void {
    this.actions.assertAlive();
    if (typeof target === 'number') return this.#calls.abort(target);
    const { name } = this.actions.get(target);
    for (const id of this.#calls.openIds(name)) this.#calls.abort(id);
    return this.#loops.cut(name);
  }

  result(id: number): Promise<unknown> {
    this.actions.assertAlive();
    return this.#calls.ledger.result(id);
  }

  /** How many calls under way have a method other than GET, HEAD and OPTIONS. */
  get pendingWrites(): number {
    return this.#calls.pendingWrites;
  }

  /**
   * When a loop of the action, or of that query alone, asks next, in milliseconds of the epoch: the soonest of several,
   * null for none. The time is past while the request is out, and where the worker asks in silence: a long-poll without
   * news, a loop without a network. On a hidden page it is the time at which the loop would otherwise ask.
   */
  nextPollAt(action: string, query: QueryRecord | null = null): number | null {
    return this.#loops.nextPollAt(action, query);
  }

  /** Calls `changed` whenever `pendingWrites` or `nextPollAt` may have changed; the returned function stops that. */
  watch(changed: PulseListener): () => void {
    const watcher = { changed };
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Listeners have come or gone; `isMore` is true where one has come. */
  updateInterest(isMore = false): void {
    this.#loops.updateInterest(isMore);
  }

  /** Another user has come: nothing of the one before is known, not even what was asked last. */
  empty(): void {
    this.#last.clear();
    this.#lastOfLoop.clear();
    this.#calls.ledger.empty();
    this.#calls.silence();
    this.followers.empty();
  }

  endOf(isEnded: (era: number) => boolean, failure: Failure): void {
    this.#calls.failOf(isEnded, failure);
    this.#loops.failOf(isEnded, failure);
  }

  /** Ends all calls and loops. After that, every call throws. */
  dispose(): void {
    if (this.actions.isDisposed) return;
    this.#loops.stopAll();
    for (const id of this.#calls.openIds()) this.#calls.abort(id);
    this.#calls.silence();
    this.changes.dispose();
    this.actions.isDisposed = true;
  }

  /** The tie to the connection, which ends all that is the resource's when another user comes. */
  link(): Link {
    const link = this.#ports.link();
    if (!this.#followed.has(link)) link.session.signing.follow(this);
    this.#followed.add(link);
    return link;
  }

  #send(name: string, asked: Asked, revalidate: boolean): number {
    const link = this.link();
    const { prepared, call, ticket } = this.actions.request(name, asked, link, revalidate);
    const id = link.nextId();
    const { signal, ...options } = asked.options;
    this.#last.set(name, { ...asked, options, encoded: prepared.encoded });
    this.#calls.start({ ...call, id }, prepared, link, this.#ports.interest(name), signal, ticket);
    return id;
  }

  #startLoop(
    name: string,
    params: InputParams | null | undefined,
    { options, pace, firstIn, following }: LoopPlan,
  ): Loop {
    this.actions.get(name);
    assertParams(name, params);
    const known = params ? null : this.#last.get(name);
    const given = { params: copyParams(params ?? {}), data: options.data, encoded: null };
    const own = options.data === undefined ? {} : { data: options.data, encoded: null };
    const asked: Asked = { ...(known ?? given), ...own, options: { ...known?.options, ...options } };
    const key = JSON.stringify([
      name,
      encodeParams(asked.params).toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ]);
    const isQuiet = options.notify === 'change';
    this.#lastOfLoop.set(name, asked);
    const order = {
      action: name,
      key,
      pace,
      // Every restart uses the action's mapping of that moment.
      prepare: (link: Link): LoopRequest => this.actions.loopRequest(name, asked, following, link),
      interest: (): EventInterest => ({ ...this.#interestOf(name), ...(isQuiet && { unchanged: false }) }),
      isQuiet,
    };
    return this.#loops.start(order, firstIn);
  }

  /** Bodies are left out where a follower is content with parts and no listener wants the whole. */
  #interestOf(name: string): EventInterest {
    const isSent = this.#ports.hears(name) || !this.followers.wantParts(name);
    return { ...this.#ports.interest(name), ...(!isSent && { body: false }) };
  }
}
