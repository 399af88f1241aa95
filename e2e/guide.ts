import { readFile } from 'node:fs/promises';

/** The block of code of a guide that contains some text, as its readers would copy it. */
export async function snippet(file: string, contained: string): Promise<string> {
  const text = await readFile(new URL(`../docs/guide/${file}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```js\n(.*?)^```/gms)].map(([, code]) => code ?? '');
  const found = blocks.find((code) => code.includes(contained));
  if (found === undefined) throw new Error(`${file} has no code with ${contained}`);
  return found;
}
