import { wrap } from 'idb';
import type { IDBPDatabase } from 'idb';
import type { Clock } from '../system.ts';
import { migrate, VERSION } from './migrations.ts';

/** Milliseconds for each of two attempts; a call then goes on without the database (faults.md, row 17). */
const PATIENCE = 1_500;

/**
 * Opens a database within 3 s. A second attempt starts when the first has failed or said nothing for half of that:
 * WebKit's first open can hang (platform.md). Whichever answers first is taken, a later one is closed.
 */
export async function openInTime(factory: IDBFactory, name: string, clock: Clock): Promise<IDBPDatabase> {
  const attempts: Promise<IDBPDatabase>[] = [];
  const attempt = (): Promise<IDBPDatabase> => {
    attempts.push(open(factory, name));
    return within(clock, Promise.any(attempts));
  };
  let opened: IDBPDatabase | null = null;
  try {
    opened = await attempt().catch(attempt);
    return opened;
  } finally {
    for (const each of attempts) void closeUnless(each, opened);
  }
}

async function open(factory: IDBFactory, name: string): Promise<IDBPDatabase> {
  try {
    return await request(factory.open(name, VERSION));
  } catch (error) {
    // A newer release has been here and was rolled back. What it added is in nobody's way.
    if (error instanceof Error && error.name === 'VersionError') return await request(factory.open(name));
    throw error;
  }
}

async function request(opening: IDBOpenDBRequest): Promise<IDBPDatabase> {
  opening.addEventListener('upgradeneeded', ({ oldVersion }) => migrate(wrap(opening.result), oldVersion));
  await wrap(opening);
  return wrap(opening.result);
}

async function within(clock: Clock, opening: Promise<IDBPDatabase>): Promise<IDBPDatabase> {
  const settled = new AbortController();
  const late = async (): Promise<never> => {
    await clock.sleep(PATIENCE, settled.signal);
    throw new Error('IndexedDB did not answer within 3 s');
  };
  try {
    return await Promise.race([opening, late()]);
  } finally {
    settled.abort();
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
