import type { Chunk, Chunked } from '../../shared/protocol.ts';
import { frozen } from '../frozen.ts';
import { isMap, own } from '../patch/node.ts';

/** The rows that have come of a body that is told in chunks, each parsed in the task in which it came. */
export class Rows {
  #lists: (readonly unknown[])[] = [];

  /** The first of a body begins anew; one that does not follow on the last is of no use, nor is what came before. */
  take({ index, text }: Chunk): void {
    if (index === 0) this.clear();
    if (index !== this.#lists.length) return this.clear();
    // Here rather than when all is there, which would take as long as all chunks together.
    this.#lists.push(frozen<readonly unknown[]>(JSON.parse(text)));
  }

  /** What JSON.parse would have made of the whole body, and nothing is left of it here; null where chunks are missing. */
  finish({ path, envelope, chunks }: Chunked): { readonly value: unknown } | null {
    const lists = this.#lists;
    this.clear();
    if (lists.length !== chunks) return null;
    const rows: unknown[] = [];
    return placed(JSON.parse(envelope), path, rows.concat(...lists));
  }

  clear(): void {
    this.#lists = [];
  }
}

function placed(
  around: unknown,
  path: readonly string[],
  rows: unknown[],
): { readonly value: unknown } | null {
  const name = path.at(-1);
  if (name === undefined) return { value: rows };
  let parent = around;
  for (const each of path.slice(0, -1)) parent = isMap(parent) ? own(parent, each) : undefined;
  // Only an own member is written to, `__proto__` as well, which then is a member like any other.
  if (!isMap(parent) || !Object.hasOwn(parent, name)) return null;
  Reflect.set(parent, name, rows);
  return { value: around };
}
