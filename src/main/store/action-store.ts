import { share } from '../patch/heirs.ts';
import { unlessProduction } from '../development.ts';
import { isSameRevision } from '../../shared/outcome.ts';
import { isTesting } from '../../shared/standard-schema.ts';
import type { RowOf } from '../queries/query.ts';
import type { Layered } from '../optimistic/layered.ts';
import { KeptRecord } from '../queries/records.ts';
import type { QueryRecord, Reply } from '../queries/record.ts';
import type { PulseListener } from '../resource/core.ts';
import { aText, assertIs } from '../resource/option-checks.ts';
import type { Rule } from '../resource/option-checks.ts';
import { Listening } from '../resource/listening.ts';
import type { Notice } from '../resource/notice.ts';
import { RestResource } from '../resource/rest-resource.ts';
import type { Pulse } from '../resource/rest-resource.ts';
import type { RestError } from '../error.ts';
import type { RestEvent } from '../resource/event.ts';
import { arrangedBy, rangeOf } from './window-source.ts';
import type { Arrangement, Whole } from './window-source.ts';
import { assertDelegate, modelOf, ModelStore } from './model-store.ts';
import type { RestStoreDelegate } from './model-store.ts';
import { QueryFollower } from './query-follower.ts';
import type { Success } from './query-follower.ts';
import { rowsOf, Windows } from './windows.ts';
import { Status } from './status.ts';
import type { RestStoreStatus } from './status.ts';
import type { StoreWindow } from './windows.ts';

const MADE_HERE =
  "The worker filters and sorts rows as their server sent them: name what 'manipulateData' or the schema does as 'transform'";

const CHANGED_HERE =
  "The worker filters and sorts rows as their server sent them: it knows nothing of writes that show before they are done ('optimistic')";

/** A store as it works; `RestStore` gives it its types. */
export class ActionStore<Model> extends ModelStore<Model, RestStoreStatus> {
  readonly resource: RestResource;
  readonly actionName: string;
  protected readonly standing: Status;
  readonly #delegate: RestStoreDelegate<unknown, Model>;
  readonly #pulse: Pulse;
  readonly #listening = new Listening();
  readonly #windows: Windows;
  /** The query that it follows alone; null where it follows all of its action. */
  readonly #only: QueryFollower | null;
  /** The answers under the writes that they do not contain yet; those of a query have that already. */
  readonly #layered: Layered;
  readonly #shown = new KeptRecord(() => this.#empty());
  /** The answer of which the model was made, where that is the newest; null where the newest stayed with the worker. */
  #whole: (Pick<Whole, 'record' | 'revision'> & { readonly response: unknown }) | null = null;
  /** The answer, under such writes, of which the model was made. */
  #madeOf: unknown;
  /** True where parts were not available, until the whole answer comes. */
  #lacksParts = false;
  /** The id of the last answer or error that came after a newer one. */
  #late: number | null = null;
  /** Stops listening for whole answers; null while parts are enough. */
  #deafen: (() => void) | null = null;

  /** @throws TypeError where `resource` or `select` is of the wrong kind; Error `No route for action <name>`. */
  constructor(resource: RestResource, actionName: string, delegate: RestStoreDelegate<unknown, Model> = {}) {
    super();
    unlessProduction(() => {
      assertIs('The resource of a store', resource, aResource());
      assertIs('The action of a store', actionName, aText());
    });
    // `map` makes each action an own property of its resource, which has no other own properties.
    if (!Object.hasOwn(resource, actionName)) throw new Error(`No route for action ${actionName}`);
    assertDelegate(delegate);
    this.resource = resource;
    this.actionName = actionName;
    this.#delegate = delegate;
    const pulse = RestResource.pulseOf(resource);
    this.#pulse = pulse;
    this.standing = new Status(
      () => Date.now(),
      () => ({ nextPollAt: this.#nextPollAt, pendingWrites: pulse.pendingWrites }),
    );
    this.#layered = pulse.changes.layered(actionName, () => this.#record?.newest?.invocation.params ?? []);
    this.#windows = this.#windowsOn(pulse);
    if (delegate.configureRequest) {
      const configure = delegate.configureRequest.bind(delegate);
      this.ends.push(resource.configureRequest(configure, actionName));
    }
    const { params } = delegate;
    this.#only = params === undefined ? null : new QueryFollower(pulse, actionName, params);
    this.ends.push(
      () => this.#windows.dispose(),
      () => this.#deafen?.(),
      () => this.#shown.keep(null),
      ...(this.#only ? this.#followQuery(this.#only) : this.#followAction()),
      pulse.watch((loop) => this.#isMeant(loop) && this.tellStatus()),
    );
  }

  /**
   * Some rows of the model, which must be a list, as a store of their own. The worker then sends only these rows,
   * unless the page also needs the whole list. An `arrangement` filters and sorts them by functions of the worker.
   * @throws TypeError where an argument is not a number, or an arrangement is for rows that the page makes; RangeError
   * where an argument is not a whole number from 0, or there are too many rows; Error where the store was disposed.
   */
  window(start: number, count: number, arrangement: Arrangement = {}): StoreWindow<RowOf<Model>> {
    const range = rangeOf(start, count);
    const arranged = arrangedBy(arrangement);
    if (arranged) this.#assertArrangeable();
    if (this.isDisposed) throw new Error('This store has been disposed');
    const window = this.#windows.open<RowOf<Model>>(range, arranged);
    this.#reconsider();
    return window;
  }

  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void {
    this.#listening.addBy((...args) => super.addEventListener(...args), type, listener, options);
    this.#reconsider();
  }

  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: EventListenerOptions | boolean,
  ): void {
    this.#listening.removeBy((...args) => super.removeEventListener(...args), type, listener, options);
    this.#reconsiderLater();
  }

  protected override tellStatus(): boolean {
    const isTold = super.tellStatus();
    if (isTold) this.#windows.statusChanged();
    return isTold;
  }

  get #nextPollAt(): number | null {
    return this.#pulse.nextPollAt(this.actionName, this.#only?.record ?? null);
  }

  /** A store of one query has nothing to do with the loops of others: there may be a hundred of both. */
  #isMeant(loop: Parameters<PulseListener>[0]): boolean {
    if (loop === null) return true;
    const [record, own] = [loop.record, this.#only?.record];
    return loop.action === this.actionName && (!record || !own || record === own);
  }

  get #wantsWhole(): boolean {
    if (this.#windows.size === 0 || this.#listening.has('changeModel') || this.#lacksParts) return true;
    return this.#makesModels;
  }

  #assertArrangeable(): void {
    if (this.#isOptimistic) throw new TypeError(CHANGED_HERE);
    if (this.#makesModels) throw new TypeError(MADE_HERE);
  }

  /** The query of the newest answer. Answers told here belong to it, unless they are late. */
  get #record(): QueryRecord | null {
    if (this.#only) return this.#only.record;
    return this.#pulse.followers.answered(this.actionName)?.record ?? null;
  }

  /** True where writes that the answer does not contain yet may change its rows. */
  get #isOptimistic(): boolean {
    return this.#pulse.actions.optimismFor(this.actionName).size > 0;
  }

  /** True where the page makes the model, so that it is not just a part of the answer. */
  get #makesModels(): boolean {
    if (this.#delegate.manipulateData !== undefined) return true;
    if (this.#isOptimistic) return true;
    // Answers that are held against a schema are needed whole.
    return isTesting(this.#pulse.actions.find(this.actionName)?.options.response);
  }

  #followAction(): (() => void)[] {
    this.#reconsider();
    const layered = this.#layered;
    return [
      this.#pulse.changes.follow(this.actionName, { layered, changed: () => this.#relayer() }),
      this.#pulse.followers.add(this.actionName, {
        wantsParts: () => !this.#wantsWhole,
        hear: (reply, isLate) => this.#hear(reply, isLate),
        empty: () => this.#empty(),
      }),
      this.resource.addListener(`${this.actionName}Error`, (event) => this.#fail(event)),
    ];
  }

  #followQuery(query: QueryFollower): (() => void)[] {
    const listener = {
      succeed: (success: Success) => this.#succeed(success),
      fail: (error: RestError) => this.#end(error),
      forget: () => this.#empty(),
    };
    return [this.#pulse.followers.needWhole(this.actionName), query.follow(listener)];
  }

  #windowsOn(pulse: Pulse): Windows {
    const pointer = this.#delegate.select ?? '';
    return new Windows(
      {
        whole: () => this.#whole && { ...this.#whole, model: this.model },
        answered: () => this.#record,
        part: (invocation, part) => rowsOf(pulse, invocation, { pointer, ...part }),
        assertArrangeable: () => this.#assertArrangeable(),
        lackParts: () => {
          this.#lacksParts = true;
          this.#reconsider();
          return this.#nextPollAt !== null;
        },
        status: () => this.status,
      },
      () => this.#reconsiderLater(),
    );
  }

  /** Listens for whole answers while they are wanted: the worker sends them only then. */
  #reconsider(): void {
    if (this.#only || this.isDisposed || this.#wantsWhole === (this.#deafen !== null)) return;
    const deafen = this.#deafen;
    this.#deafen = deafen
      ? null
      : this.resource.addListener(`${this.actionName}Success`, (event) => this.#succeed(event));
    deafen?.();
  }

  /** In a microtask: an app that stops one thing may stop others too, and the whole should not come for nothing. */
  #reconsiderLater(): void {
    queueMicrotask(() => this.#reconsider());
  }

  #hear({ notice, isWhole, novelty }: Reply, isLate: boolean): void {
    if (isLate || novelty === 'older') this.#late = notice.id;
    // While it listens, an event tells of the answer, now or later. An error has its event at any rate.
    if (this.#deafen || notice.type !== 'success') return;
    if (isWhole) this.#succeed(notice);
    else this.#passOn(notice);
  }

  /** An answer whose response stayed with the worker. */
  #passOn(notice: Notice): void {
    if (notice.id === this.#late) return;
    if (!this.#isShown({ ...notice, response: this.#whole?.response })) this.#whole = null;
    this.standing.confirm(notice);
    this.tellStatus();
    this.#windows.answered();
  }

  #succeed(success: Success): void {
    const { id, response, isEmpty } = success;
    if (id === this.#late) return;
    if (isEmpty && response === null) this.#passOver(success);
    else if (this.#isShown(success)) this.#confirm(success);
    else this.#take(success);
    this.tellStatus();
    this.#windows.answered();
    // A one-time listener may be gone.
    this.#reconsider();
    // It was asked for too early, perhaps.
    if (success.servedFrom === 'network') this.#catchUp();
  }

  /** True where the model was made of the very same state of the same query. */
  #isShown({ revision, response }: Pick<Notice, 'revision' | 'response'>): boolean {
    const whole = this.#whole;
    // A query shows the same answer under other writes.
    if (this.#only && whole?.response !== response) return false;
    if (!whole?.revision || !revision || whole.record !== this.#record) return false;
    return isSameRevision(whole.revision, revision);
  }

  /** Another user has come: nothing of the one before is shown. */
  #empty(): void {
    this.standing.reset();
    this.#whole = null;
    this.#layered.reset();
    this.#late = null;
    if (this.model !== null) this.show(null);
    this.tellStatus();
    this.#windows.empty();
  }

  #fail({ id, error }: RestEvent): void {
    // A late failure says nothing about the newer call that has been answered.
    if (id !== this.#late && error?.code !== 'aborted') this.#end(error);
  }

  #end(error: RestError | null): void {
    this.standing.ended(error);
    this.tellStatus();
  }

  /** An answer without a body, which changes nothing. */
  #passOver({ asOf }: Success): void {
    this.standing.ended(null);
    if (!this.#only) this.#layered.passOver(asOf);
  }

  /** It is the answer that is shown, but may contain more writes. */
  #confirm(success: Success): void {
    this.standing.confirm(success);
    if (this.#only) return;
    this.#layered.take(success.response, success.asOf);
    this.#remake();
  }

  /** Writes that answers may not contain yet have changed. */
  #relayer(): void {
    if (!this.#whole) return;
    this.#layered.refresh();
    this.#remake();
    this.#windows.answered();
    this.#catchUp();
  }

  /** Asks once more where no answer says yet what a write has changed. Of one query alone, the query does that. */
  #catchUp(): void {
    if (this.#layered.isBehind) this.#pulse.catchUp(this.actionName);
  }

  #remake(): void {
    const { value } = this.#layered;
    if (value !== this.#madeOf) this.#showMade(value, this.#made(value));
  }

  #take(success: Success): void {
    const { response, revision, asOf } = success;
    const record = this.#record;
    // Writes over the answer to one query say nothing of the next.
    if (record !== this.#whole?.record) this.#layered.reset();
    if (!this.#only) this.#layered.take(response, asOf);
    const value = this.#only ? response : this.#layered.value;
    // First, since the delegate may throw: then nothing has changed.
    const made = this.#made(value);
    this.#whole = record && { record, revision, response };
    this.#shown.keep(record);
    this.#lacksParts = false;
    this.standing.confirm(success);
    this.#showMade(value, made);
  }

  #made(value: unknown): Model {
    return modelOf(value, this.#delegate);
  }

  #showMade(value: unknown, made: Model): void {
    this.#madeOf = value;
    const model = this.#delegate.manipulateData ? shared(this.model, made) : made;
    // A delegate that returns the same object again may have changed it.
    const mayBeChanged = this.#delegate.manipulateData && typeof made === 'object' && made === this.model;
    if (mayBeChanged || !Object.is(model, this.model)) this.show(model);
  }
}

function aResource(): Rule {
  return ['a Resource', (value) => value instanceof RestResource];
}

/** The compiler cannot see that sharing with another model keeps the type; the overload tells it. */
function shared<Model>(before: Model | null, made: Model): Model;
function shared(before: unknown, made: unknown): unknown {
  return share(before, made, new Map());
}
