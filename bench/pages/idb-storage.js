// IndexedDB, as the persisters of TanStack Query take it.

import { del, get, set } from 'idb-keyval';

export const storage = {
  getItem: (key) => get(key),
  setItem: (key, value) => set(key, value),
  removeItem: (key) => del(key),
};
