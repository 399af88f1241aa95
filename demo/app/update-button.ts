import type { Connection } from 'offstage';
import { announce } from './announce.ts';
import { find } from './element.ts';

/** Offers the newer version of the app that waits; the page of that version is then loaded from the new worker. */
export function startUpdateButton(connection: Connection): void {
  const button = find('#update', HTMLButtonElement);
  const show = (): void => {
    button.hidden = connection.update === null;
    if (connection.update) announce('There is a newer version of this app.');
  };
  connection.addEventListener('update', show);
  button.addEventListener('click', () => void apply(connection, button));
  show();
}

async function apply(connection: Connection, button: HTMLButtonElement): Promise<void> {
  button.disabled = true;
  try {
    await connection.update?.apply();
    location.reload();
  } catch (error) {
    announce(String(error));
    button.disabled = false;
  }
}
