import type { User } from '../users.ts';

// demo/worker/pictures.ts knows the same names.
const PREFIX = 'pictures';
const MARK = '/signed-in';

/** Lets the worker keep this user's pictures. */
export async function keepPicturesOf({ name }: User): Promise<void> {
  const cache = await caches.open(`${PREFIX}-${name}`);
  await cache.put(MARK, new Response());
}

/** Takes away the pictures of everybody else; of everybody where nobody is signed in. */
export async function dropPictures(except: User | null): Promise<void> {
  const names = await caches.keys();
  const others = names.filter(
    (name) => name.startsWith(PREFIX) && name !== `${PREFIX}-${except?.name ?? ''}`,
  );
  await Promise.all(others.map((name) => caches.delete(name)));
}
