/** Which worker: the URL of its script, and its scope where that is not the folder of the script. */
export interface ScriptAndScope {
  readonly script: string;
  readonly scope: string | null;
}

/** The scope that such a worker has, or would have, in a document of that base URL. */
export function scopeOf({ script, scope }: ScriptAndScope, base: string): URL {
  return scope === null ? new URL('.', new URL(script, base)) : new URL(scope, base);
}

/** By that name all engines of a scope know each other: its path, since they are of one origin. */
export function scopeName(worker: ScriptAndScope): string {
  const base = typeof document === 'undefined' ? NOWHERE : document.baseURI;
  const { pathname, search } = scopeIn(worker, base) ?? scopeOf(worker, NOWHERE);
  return pathname + search;
}

/** A process, or a document that relative URLs mean nothing in, has a scope by its path alone. */
const NOWHERE = 'http://localhost';

function scopeIn(worker: ScriptAndScope, base: string): URL | null {
  try {
    return scopeOf(worker, base);
  } catch {
    return null;
  }
}
