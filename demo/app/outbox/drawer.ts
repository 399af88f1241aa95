import { fill, find, part, say } from '../element.ts';
import type { Palettes } from '../palettes.ts';
import { Card } from './card.ts';
import type { CardPorts } from './card.ts';
import type { Waiting } from './waiting.ts';
import { needsDecision, summaryOf } from './waiting-write.ts';
import type { WaitingWrite } from './waiting-write.ts';

/** Where it lies over the whole page, it is a place that one goes back from. */
const PHONE = matchMedia('(width < 700px)');

/** The history entry of the open drawer. */
const OPEN = 'outbox';

export interface DrawerPorts {
  readonly waiting: Waiting;
  readonly palettes: Palettes;
  /** Opens the form with what the write sends. */
  readonly edit: (write: WaitingWrite) => void;
}

/** What waits and why, and what can be done about it: a sheet on a phone, a panel at the side where there is room. */
export class Drawer {
  readonly #waiting: Waiting;
  readonly #ports: CardPorts;
  readonly #dialog = find('#outbox', HTMLDialogElement);
  readonly #list = part(this.#dialog, 'list', HTMLUListElement);
  readonly #title = find('h2', HTMLElement, this.#dialog);
  readonly #cards = new Map<string, Card>();

  constructor({ waiting, palettes, edit }: DrawerPorts) {
    this.#waiting = waiting;
    const change = (write: WaitingWrite): void => {
      this.#dialog.close();
      edit(write);
    };
    this.#ports = { waiting, palettes, edit: change };
  }

  start(): void {
    part(this.#dialog, 'close', HTMLButtonElement).addEventListener('click', () => this.#dialog.close());
    // For browsers that do not know `closedby`.
    this.#dialog.addEventListener('click', ({ target }) => {
      if (target === this.#dialog) this.#dialog.close();
    });
    this.#dialog.addEventListener('close', () => {
      this.#drop([]);
      if (history.state === OPEN) history.back();
    });
    addEventListener('popstate', () => this.#follow());
    part(this.#dialog, 'export', HTMLButtonElement).addEventListener('click', () => void this.#export());
    this.#waiting.subscribe((writes) => this.#render(writes));
  }

  /** `entry` names the write that it is opened for. */
  open(entry: string | null = null): void {
    if (!this.#dialog.open) this.#dialog.showModal();
    if (PHONE.matches && history.state !== OPEN) history.pushState(OPEN, '');
    this.#render(this.#waiting.writes);
    const card = entry === null ? null : this.#cards.get(entry);
    if (card) card.focus();
    else this.#title.focus();
  }

  /** Back closes it, and from the form of a card leads to it again. */
  #follow(): void {
    if (history.state === OPEN) this.open();
    else this.#dialog.close();
  }

  /** Saves what waits as a file. */
  async #export(): Promise<void> {
    const text = await this.#waiting.outbox.export();
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = 'outbox.json';
    link.click();
    URL.revokeObjectURL(link.href);
  }

  #render(writes: readonly WaitingWrite[]): void {
    fill(this.#dialog, { summary: summaryOf(writes) });
    if (!this.#dialog.open) return;
    const offline =
      'No network. All of this is safe on this device, and is sent by itself when you are back.';
    say(part(this.#dialog, 'offline', HTMLElement), navigator.onLine || writes.length === 0 ? null : offline);
    part(this.#dialog, 'empty', HTMLElement).hidden = writes.length > 0;
    part(this.#dialog, 'export', HTMLElement).hidden = writes.length === 0;
    this.#keepFocus(() => this.#renderCards(writes));
  }

  /** Those that need a decision come first. */
  #renderCards(writes: readonly WaitingWrite[]): void {
    this.#drop(writes);
    writes
      .toSorted((one, other) => rank(one) - rank(other))
      .forEach((write, index) => {
        const card = this.#cards.get(write.entry.id) ?? new Card(write, this.#ports);
        this.#cards.set(write.entry.id, card);
        card.render(write, aheadOf(write, writes));
        const there = this.#list.children[index];
        if (there !== card.element) this.#list.insertBefore(card.element, there ?? null);
      });
  }

  /** What has the keyboard keeps it; where that is gone, what has taken its place gets it. */
  #keepFocus(render: () => void): void {
    const { activeElement: before } = document;
    const place = [...this.#list.children].findIndex((card) => card.contains(before));
    render();
    if (place < 0 || !(before instanceof HTMLElement) || document.activeElement === before) return;
    before.focus();
    if (document.activeElement === before) return;
    const next = this.#list.children[Math.min(place, this.#list.children.length - 1)];
    const card = [...this.#cards.values()].find(({ element }) => element === next);
    if (card) card.focus();
    else this.#title.focus();
  }

  #drop(except: readonly WaitingWrite[]): void {
    const kept = new Set(except.map(({ entry }) => entry.id));
    for (const [id, card] of this.#cards) {
      if (kept.has(id)) continue;
      card.remove();
      this.#cards.delete(id);
    }
  }
}

/** The write before it in its lane: its turn comes after that one. One that was refused holds nobody. */
function aheadOf({ entry }: WaitingWrite, writes: readonly WaitingWrite[]): WaitingWrite | null {
  const before = writes.slice(
    0,
    writes.findIndex((write) => write.entry.id === entry.id),
  );
  return (
    before.findLast((write) => write.entry.lane === entry.lane && write.entry.state !== 'review') ?? null
  );
}

function rank(write: WaitingWrite): number {
  return needsDecision(write) ? 0 : 1;
}
