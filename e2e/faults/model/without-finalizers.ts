/**
 * Loads modules that find no FinalizationRegistry. Comlink watches its proxies with one that leads back to them, so they
 * have to be released. A worker or page of the model that ends without a word releases nothing, and no process ends with
 * it: 20,000 runs would take 20 GB.
 */
export async function withoutFinalizers<Module>(load: () => Promise<Module>): Promise<Module> {
  const registry = Object.getOwnPropertyDescriptor(globalThis, 'FinalizationRegistry');
  Reflect.deleteProperty(globalThis, 'FinalizationRegistry');
  try {
    return await load();
  } finally {
    if (registry) Object.defineProperty(globalThis, 'FinalizationRegistry', registry);
  }
}
