import { findUser } from '../users.ts';
import type { User } from '../users.ts';
import { isRecord } from './photo.ts';

/** The user that this browser remembers as signed in, for all its tabs. */
export interface StoredAccount {
  readonly user: User | null;
  /** True once the server has been told. Until then its cookie may be another user's. */
  readonly agreed: boolean;
}

const KEY = 'account';

/** Null where nobody has ever signed in or out here. */
export function readAccount(): StoredAccount | null {
  const value = parse(localStorage.getItem(KEY));
  if (!isRecord(value)) return null;
  return { user: findUser(value['user']) ?? null, agreed: value['agreed'] === true };
}

export function storeAccount({ user, agreed }: StoredAccount): void {
  localStorage.setItem(KEY, JSON.stringify({ user: user?.name ?? null, agreed }));
}

/** Calls when another tab has stored something else. */
export function onAccountStored(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) listener();
  });
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null') as unknown;
  } catch {
    return null;
  }
}
