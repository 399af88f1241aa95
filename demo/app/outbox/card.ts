import { RestError } from 'offstage';
import { moment } from '../amount.ts';
import { announce } from '../announce.ts';
import { confirm } from '../confirm.ts';
import { fill, find, part, say, stamp } from '../element.ts';
import type { Palettes } from '../palettes.ts';
import { isPhoto } from '../photo.ts';
import type { Photo } from '../photo.ts';
import { photos } from '../resources.ts';
import { paintChanges, paintPicture, paintVersions } from './versions.ts';
import type { Waiting } from './waiting.ts';
import { isOrphan, mayBeDone, nameOf, reasonOf, stateOf } from './waiting-write.ts';
import type { WaitingWrite } from './waiting-write.ts';

export interface CardPorts {
  readonly waiting: Waiting;
  readonly palettes: Palettes;
  readonly edit: (write: WaitingWrite) => void;
}

/** One change that waits. It stays the same element as long as it waits. */
export class Card {
  readonly element = stamp('waiting', HTMLLIElement);
  readonly #ports: CardPorts;
  #write: WaitingWrite;
  #ahead: WaitingWrite | null = null;
  /** What the server has, of a photo that both have changed; null before it has said so. */
  #theirs: unknown = null;
  #isAsked = false;
  #isDeciding = false;

  constructor(write: WaitingWrite, ports: CardPorts) {
    this.#ports = ports;
    this.#write = write;
    const heading = find('h3', HTMLElement, this.element);
    heading.id = `waiting-${write.entry.id}`;
    find('article', HTMLElement, this.element).setAttribute('aria-labelledby', heading.id);
    this.#wire();
  }

  render(write: WaitingWrite, ahead: WaitingWrite | null): void {
    this.#write = write;
    this.#ahead = ahead;
    const { state } = write.entry;
    this.element.dataset['state'] = state;
    const isConflict = state === 'conflict';
    if (isConflict) void this.#compare();
    // The next conflict is with another version.
    else this.#isAsked = false;
    this.#part('retry').hidden = isConflict;
    this.#part('discard').hidden = isConflict;
    this.#part('versions').hidden = !isConflict;
    this.#part('edit').hidden = write.fields === null;
    for (const name of ['retry', 'edit'])
      find(`[data-part=${name}]`, HTMLButtonElement, this.element).disabled = state === 'sending';
    this.#draw();
  }

  focus(): void {
    find('h3', HTMLElement, this.element).focus();
    this.element.scrollIntoView({ block: 'nearest' });
  }

  remove(): void {
    this.element.remove();
  }

  #wire(): void {
    const { waiting, edit } = this.#ports;
    const { outbox } = waiting;
    const { id } = this.#write.entry;
    const act = (name: string, action: () => Promise<void>): void => {
      this.#part(name).addEventListener('click', () => void this.#decide(action));
    };
    act('retry', () => (isOrphan(this.#write) ? this.#renew() : outbox.retry(id)));
    act('discard', () => this.#discard());
    act('theirs', () => outbox.discard(this.#write.entry));
    // The same once more, in the place of the version that the server has now.
    act('mine', () => outbox.edit(this.#write.entry, {}));
    act('edit', async () => edit(this.#write));
  }

  async #discard(): Promise<void> {
    const name = this.#name;
    const what = mayBeDone(this.#write)
      ? `${name} may be on the server all the same. It is not sent again`
      : `${name} is never sent`;
    const sure = await confirm('Discard this change?', `${what}, and cannot be had back.`, 'Discard');
    if (!sure) return;
    const { outbox } = this.#ports.waiting;
    for (const { entry } of await this.#withFollowers()) await outbox.discard(entry.id);
    // It may have been sent meanwhile.
    const doubt = mayBeDone(this.#write) ? ' It may be on the server all the same.' : '';
    announce(`Discarded: ${name}.${doubt}`);
  }

  /** What waits for a photo that is never made goes before it. */
  async #withFollowers(): Promise<readonly WaitingWrite[]> {
    const { kind, photo } = this.#write;
    if (kind !== 'create') return [this.#write];
    const all = await this.#ports.waiting.load();
    return all.filter((write) => write.photo === photo).toReversed();
  }

  /** Nothing is lost in between: the new photo is queued before the edit goes. */
  async #renew(): Promise<void> {
    const { fields, entry } = this.#write;
    await photos.result(photos.create(null, { ...fields }));
    await this.#ports.waiting.outbox.discard(entry.id);
  }

  /** One decision at a time: what is pressed before it shows what has come of the last one, was meant for that. */
  async #decide(action: () => Promise<void>): Promise<void> {
    if (this.#isDeciding) return;
    this.#isDeciding = true;
    const problem = this.#part('problem');
    say(problem, null);
    try {
      await action();
      await this.#ports.waiting.load();
    } catch (error) {
      say(problem, problemOf(error));
    } finally {
      this.#isDeciding = false;
    }
  }

  /** The result of a call is what the server says, without what waits. */
  async #compare(): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#theirs = await photos.result(photos.get({ id: this.#write.photo })).catch(() => null);
    this.#draw();
  }

  /** The photo that it changes, without what waits: the newest that anything has told. */
  get #known(): Photo | null {
    const { waiting } = this.#ports;
    const told: unknown[] = [waiting.before(this.#write.photo), waiting.currentOf(this.#write), this.#theirs];
    return (
      told.filter((each) => isPhoto(each)).toSorted((one, other) => other.version - one.version)[0] ?? null
    );
  }

  get #name(): string {
    return nameOf(this.#write, this.#known);
  }

  #draw(): void {
    const { waiting, palettes } = this.#ports;
    const { entry } = this.#write;
    const known = this.#known;
    const ahead = this.#ahead && waiting.nameOf(this.#ahead);
    const why = { online: navigator.onLine, behind: ahead, said: waiting.saidOf(this.#write) };
    fill(this.element, {
      name: this.#name,
      state: stateOf(this.#write),
      edit: entry.state === 'conflict' ? 'Edit mine' : 'Edit',
      retry: isOrphan(this.#write) ? 'Add as new' : 'Try now',
      since: `since ${moment(entry.queuedAt)}`,
      why: reasonOf(this.#write, why),
    });
    find('time', HTMLTimeElement, this.element).dateTime = new Date(entry.queuedAt).toISOString();
    this.#part('mark').dataset['state'] = entry.state;
    paintPicture(find('.waiting-thumb', HTMLElement, this.element), this.#write.fields, known, palettes);
    if (entry.state === 'conflict') paintVersions(this.#part('versions'), this.#write, known, palettes);
    paintChanges(part(this.element, 'changes', HTMLDListElement), this.#write, known, palettes);
  }

  #part(name: string): HTMLElement {
    return part(this.element, name, HTMLElement);
  }
}

function problemOf(error: unknown): string {
  if (!(error instanceof RestError)) return String(error);
  if (error.code !== 'outbox') return `${error.message}.`;
  return 'This has changed meanwhile, as in another tab: look at it again.';
}
