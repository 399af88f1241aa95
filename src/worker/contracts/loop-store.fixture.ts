import { lookUp, lookUpAll } from './response-store.ts';
import type { MemoryLoops } from '../storage/loops.ts';
import type { LoopStore } from './loop-store.ts';

/** A store in memory, as its door answers. */
export function storeIn(loops: MemoryLoops): LoopStore {
  return {
    find: (key) => lookUp(() => loops.find(key)),
    save: (record) => loops.save(record),
    append: (record, entry) => loops.append(record, entry),
    entries: (...range) => lookUpAll(() => loops.entries(...range)),
    prune: (key, upTo, patience) => loops.prune(key, upTo, patience),
  };
}
