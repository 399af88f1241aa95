import type { ProgressMeter } from './progress.ts';

/**
 * The body of an answer to its last byte, counted on the way where somebody listens; null where it broke off. Not
 * every browser compares what came with what was announced, so it is done here.
 */
export async function answerBytes(
  response: Response,
  announced: number | null,
  meter: ProgressMeter | null,
  signal: AbortSignal,
): Promise<ArrayBuffer | null> {
  try {
    const bytes = await (meter && response.body
      ? metered(response.body.getReader(), meter, signal)
      : response.arrayBuffer());
    if (announced !== null && bytes.byteLength < announced) return null;
    if (!signal.aborted) meter?.end();
    return bytes;
  } catch {
    return null;
  }
}

/**
 * Bytes that an answer announces; null where it does not say, or counts them before a content coding is undone.
 * Across origins the coding cannot be seen (Content-Encoding is not a safelisted header), so nothing is certain.
 */
export function announcedLength(response: Response, method: string): number | null {
  if (method === 'HEAD' || response.type === 'cors' || response.headers.has('content-encoding')) return null;
  const length = response.headers.get('content-length') ?? '';
  return /^\d+$/.test(length) ? Number(length) : null;
}

/** Read by hand: not every engine has async iteration of streams (platform.md). */
async function metered(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  meter: ProgressMeter,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  while (!signal.aborted) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    if (!signal.aborted) meter.add(value.byteLength);
  }
  return joined(chunks);
}

function joined(chunks: readonly Uint8Array<ArrayBuffer>[]): ArrayBuffer {
  const whole = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.byteLength, 0));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole.buffer;
}
