import { LIMITS } from '../../shared/limits.ts';
import { wrap } from 'idb';
import type { IDBPDatabase } from 'idb';
import { inTime } from '../platform/waiting.ts';
import type { Clock } from '../platform/system.ts';
import { migrate } from './migrations.ts';
import type { Step } from './migrations.ts';

const LATE = `IndexedDB did not answer within ${LIMITS.opening / 1_000} s`;

/**
 * Opens a database within `LIMITS.opening`, at the version that its steps lead to or at a later one. A second attempt
 * starts when the first has failed, or has been silent for half of that: WebKit's first open can hang (platform.md).
 * The first to answer is used. A later one is closed, and so is an upgrade that was blocked for longer. `made` is
 * called if there was no such database before, in the transaction that makes it.
 */
export async function openInTime(
  factory: IDBFactory,
  name: string,
  clock: Clock,
  steps: readonly Step[],
  made: (upgrade: IDBTransaction) => void = () => {},
): Promise<IDBPDatabase> {
  const attempts: Promise<IDBPDatabase>[] = [];
  const attempt = (): Promise<IDBPDatabase> => {
    attempts.push(open(factory, name, steps, made));
    return inTime(clock, LIMITS.opening / 2, LATE, Promise.any(attempts));
  };
  let opened: IDBPDatabase | null = null;
  try {
    opened = await attempt().catch(attempt);
    return opened;
  } finally {
    for (const each of attempts) void closeUnless(each, opened);
  }
}

async function open(
  factory: IDBFactory,
  name: string,
  steps: readonly Step[],
  made: (upgrade: IDBTransaction) => void,
): Promise<IDBPDatabase> {
  try {
    return await request(factory.open(name, steps.length), steps, made);
  } catch (error) {
    // A newer release was here: it was rolled back, or works beside this one. What it added does no harm.
    if (error instanceof Error && error.name === 'VersionError')
      return await request(factory.open(name), steps, made);
    throw error;
  }
}

async function request(
  opening: IDBOpenDBRequest,
  steps: readonly Step[],
  made: (upgrade: IDBTransaction) => void,
): Promise<IDBPDatabase> {
  const mistakes: Error[] = [];
  opening.addEventListener('upgradeneeded', ({ oldVersion }) => {
    if (!opening.transaction) return;
    const mistake = mistakeIn(opening.transaction, oldVersion, steps);
    if (mistake) mistakes.push(mistake);
    else if (oldVersion === 0) made(opening.transaction);
  });
  try {
    await wrap(opening);
  } catch (error) {
    // The browser only says that it was aborted.
    throw mistakes[0] ?? error;
  }
  return wrap(opening.result);
}

/** Migrates, or leaves everything as it was and returns why. */
function mistakeIn(upgrade: IDBTransaction, from: number, steps: readonly Step[]): Error | null {
  try {
    migrate(upgrade, from, steps);
    return null;
  } catch (cause) {
    upgrade.abort();
    const message = `The database cannot be brought from version ${from} to ${steps.length}`;
    return new Error(`${message}: ${String(cause)}`, { cause });
  }
}

async function closeUnless(opening: Promise<IDBPDatabase>, wanted: IDBPDatabase | null): Promise<void> {
  try {
    const connection = await opening;
    if (connection !== wanted) connection.close();
  } catch {
    // It never opened.
  }
}
