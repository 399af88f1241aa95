import type { LoopStore } from '../contracts/loop-store.ts';

/** The lock of the acting engine, as far as it guards what is written. */
interface Owner {
  write<T>(read: number | null, work: (own: number | null) => Promise<T>): Promise<T>;
}

/** The store as the engine of that lock may use it: everybody reads, only the owner writes. */
export function owned(store: LoopStore, owner: Owner): LoopStore {
  return {
    find: (key) => store.find(key),
    entries: (key, after, limit) => store.entries(key, after, limit),
    save: (record, read) => owner.write(read, (own) => store.save(record, own)),
    append: (record, entry, read) => owner.write(read, (own) => store.append(record, entry, own)),
    prune: (key, upTo, patience, read) => owner.write(read, (own) => store.prune(key, upTo, patience, own)),
  };
}
