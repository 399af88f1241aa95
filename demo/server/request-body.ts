import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

/** Photos are drawn, not uploaded: a title and a description never need more. */
const LIMIT = 64 * 1024;

/** The fields of a form or a JSON object. */
export async function readFields(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  switch (type) {
    case 'application/json':
      return parseObject(await readText(request));
    case 'application/x-www-form-urlencoded':
      return Object.fromEntries(new URLSearchParams(await readText(request)));
    default:
      throw new Problem(415, 'Send application/json or application/x-www-form-urlencoded.', {
        headers: { Accept: 'application/json, application/x-www-form-urlencoded' },
      });
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not destroy the socket: the answer still has to go out on it.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > LIMIT) {
      request.resume();
      throw new Problem(413, `A body may have ${LIMIT} bytes.`, { headers: { Connection: 'close' } });
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value = parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem(400, 'The body has to be a JSON object.');
  }
  return Object.fromEntries(Object.entries(value));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Problem(400, 'The body is not JSON.');
  }
}
