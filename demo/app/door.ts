import { USERS } from '../users.ts';
import type { User } from '../users.ts';
import type { Account, AccountState } from './account.ts';
import { announce } from './announce.ts';
import { fill, find, part, say, stamp } from './element.ts';

/** Where one signs in, and later switches or signs out: a dialog, which stays open as long as nobody is signed in. */
export class Door {
  readonly #account: Account;
  readonly #dialog = find('#door', HTMLDialogElement);
  readonly #mark = find('#account', HTMLButtonElement);
  readonly #people = new Map<User, HTMLElement>();
  #state: AccountState = { kind: 'asking' };

  constructor(account: Account) {
    this.#account = account;
  }

  start(): void {
    part(this.#dialog, 'people', HTMLElement).append(...USERS.map((user) => this.#person(user)));
    part(this.#dialog, 'out', HTMLButtonElement).addEventListener('click', () => this.#choose(null));
    part(this.#dialog, 'close', HTMLButtonElement).addEventListener('click', () => this.#dialog.close());
    this.#mark.addEventListener('click', () => this.#dialog.showModal());
    // Where `closedby` is not known, Escape would close it.
    this.#dialog.addEventListener('cancel', (event) => {
      if (this.#mustStay) event.preventDefault();
    });
    this.#dialog.addEventListener('close', () => {
      if (this.#mustStay) this.#dialog.showModal();
    });
    this.#account.subscribe((state) => this.#render(state));
  }

  get #mustStay(): boolean {
    return this.#state.kind === 'nobody' || this.#state.kind === 'entering';
  }

  #person(user: User): HTMLElement {
    const person = stamp('person', HTMLLIElement);
    const frames = person.querySelectorAll('img');
    user.samples.forEach(({ palette, seed }, index) => {
      const address = new URLSearchParams({ palette, seed: String(seed) });
      frames[index]?.setAttribute('src', `/api/preview.svg?${address.toString()}`);
    });
    fill(person, { label: user.label, about: user.about });
    find('button', HTMLButtonElement, person).addEventListener('click', () => this.#choose(user));
    this.#people.set(user, person);
    return person;
  }

  #choose(user: User | null): void {
    if (this.#state.kind === 'entering') return;
    if (user && user === shownIn(this.#state)) this.#dialog.close();
    else this.#account.change(user);
  }

  #render(state: AccountState): void {
    const [before, user] = [shownIn(this.#state), shownIn(state)];
    this.#state = state;
    document.body.dataset['account'] = state.kind;
    this.#mark.hidden = user === null;
    fill(this.#mark, { name: user ? firstName(user) : '' });
    say(find('#waiting-note', HTMLElement), state.kind === 'waiting' ? waitingFor(state.user) : null);
    this.#renderDialog(state, user);
    if (this.#mustStay && !this.#dialog.open) this.#dialog.showModal();
    if (!user || user === before) return;
    this.#dialog.close();
    announce(`Signed in as ${user.label}.`);
  }

  #renderDialog(state: AccountState, user: User | null): void {
    const dialog = this.#dialog;
    dialog.setAttribute('closedby', this.#mustStay ? 'none' : 'any');
    dialog.setAttribute('aria-busy', String(state.kind === 'entering'));
    fill(dialog, { title: user ? `Signed in as ${user.label}` : 'Whose contact sheet?' });
    say(part(dialog, 'note', HTMLElement), state.kind === 'nobody' ? state.note : null);
    part(dialog, 'actions', HTMLElement).hidden = user === null;
    for (const [each, person] of this.#people) {
      find('button', HTMLButtonElement, person).setAttribute('aria-current', String(each === user));
      fill(person, { state: each === user ? 'signed in' : user ? 'switch' : 'sign in' });
    }
  }
}

/** The user whose name the page shows. */
function shownIn(state: AccountState): User | null {
  return state.kind === 'signed-in' || state.kind === 'waiting' ? state.user : null;
}

function firstName({ label }: User): string {
  return label.split(' ')[0] ?? label;
}

function waitingFor(user: User): string {
  return `The server is out of reach, and nothing of ${user.label}’s is kept on this device. The sheet comes when the server can be asked for it.`;
}
